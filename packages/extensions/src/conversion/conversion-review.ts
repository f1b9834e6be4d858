// Requests to conversion webhooks and the checks of their responses.
// Source: Kubernetes documentation, "Versions in CustomResourceDefinitions".
import { ManyValuesError, metaOf } from "@orch/machinery";
import { countValues, isObject, type JsonObject, type JsonValue, readJson, writeJson } from "@orch/schema";
import { WebhookError } from "../webhooks/webhook-error";

/** ConversionReview versions that this server supports. */
const KNOWN_VERSIONS = ["v1", "v1beta1"] as const;
export type ReviewVersion = (typeof KNOWN_VERSIONS)[number];

/** Returns the first listed version that this server supports. */
export const reviewVersion = (listed: readonly string[] | null | undefined): ReviewVersion | undefined =>
  (listed ?? []).find((each): each is ReviewVersion => KNOWN_VERSIONS.some((known) => known === each));

export interface Review {
  /** `<group>/<version>` of the ConversionReview. */
  readonly apiVersion: string;
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly JsonObject[];
}

export const reviewText = ({ apiVersion, uid, desiredAPIVersion, objects }: Review): string =>
  writeJson({ kind: "ConversionReview", apiVersion, request: { uid, desiredAPIVersion, objects: [...objects] } });

/**
 * Maximum number of values in a response: those of an object, two more for each owner reference, and the surrounding
 * review. Objects larger than a batch are sent alone.
 */
const ANSWER_MAX_VALUES = 910_000;

/**
 * Reads and checks the response of a conversion webhook.
 * @param valuesHere from this number of values on, the response is left to another thread
 * @returns the converted objects with their original metadata except labels and annotations
 * @throws WebhookError for an invalid response, or one that changes what conversion must not change; ManyValuesError
 */
export function convertedObjects(answer: Buffer, review: Review, valuesHere?: number): readonly JsonObject[] {
  if (valuesHere !== undefined && countValues(answer, valuesHere) >= valuesHere)
    throw new ManyValuesError(`the answer has more than ${valuesHere} values`);
  const { response } = readReview(answer, review);
  if (!isObject(response)) throw new WebhookError("the answer has no response");
  if (response["uid"] !== review.uid) throw new WebhookError("response.uid does not match the request");
  requireSuccess(response["result"]);
  const converted = response["convertedObjects"] ?? [];
  const { objects } = review;
  if (!Array.isArray(converted) || converted.length !== objects.length) {
    const count = Array.isArray(converted) ? converted.length : "no list of";
    throw new WebhookError(`returned ${count} objects, expected ${objects.length}`);
  }
  return converted.map((each, at) => fitting(each, objects[at] as JsonObject, { at, ...review }));
}

function readReview(answer: Buffer, { apiVersion }: Review): JsonObject {
  if (countValues(answer, ANSWER_MAX_VALUES) >= ANSWER_MAX_VALUES)
    throw new WebhookError(`the answer has more than ${ANSWER_MAX_VALUES} values`);
  let review: JsonValue;
  try {
    review = readJson(answer.toString());
  } catch (error) {
    throw new WebhookError("the answer is not JSON", { cause: error });
  }
  if (!isObject(review)) throw new WebhookError("the answer is not an object");
  if (review["kind"] !== "ConversionReview" || review["apiVersion"] !== apiVersion) {
    const found = `${JSON.stringify(review["kind"] ?? "")} of ${JSON.stringify(review["apiVersion"] ?? "")}`;
    throw new WebhookError(`the answer is ${found.slice(0, 200)}, not a ConversionReview of ${apiVersion}`);
  }
  return review;
}

function requireSuccess(result: JsonValue | undefined): void {
  const { status, message } = isObject(result) ? result : {};
  if (status === "Success") return;
  throw new WebhookError(typeof message === "string" && message !== "" ? message.slice(0, 2000) : "no reason given");
}

function fitting(
  converted: JsonValue,
  original: JsonObject,
  { at, desiredAPIVersion }: { readonly at: number; readonly desiredAPIVersion: string },
): JsonObject {
  const place = `response.convertedObjects[${at}]`;
  if (!isObject(converted) || !isObject(converted["metadata"]))
    throw new WebhookError(`${place} is not an object with metadata`);
  const { kind, apiVersion, metadata } = converted;
  if (kind !== original["kind"]) throw new WebhookError(`${place}.kind must be the same`);
  if (apiVersion !== desiredAPIVersion) throw new WebhookError(`${place}.apiVersion must be ${desiredAPIVersion}`);
  const before = metaOf(original) as JsonObject;
  for (const member of ["name", "namespace", "uid"]) {
    if ((metadata[member] ?? "") !== (before[member] ?? ""))
      throw new WebhookError(`${place}.metadata.${member} must be the same`);
  }
  const { labels: _, annotations: __, ...kept } = before;
  const { labels, annotations } = metadata;
  requireTexts(labels, `${place}.metadata.labels`);
  requireTexts(annotations, `${place}.metadata.annotations`);
  return {
    ...converted,
    metadata: { ...kept, ...(isObject(labels) ? { labels } : {}), ...(isObject(annotations) ? { annotations } : {}) },
  };
}

function requireTexts(map: JsonValue | undefined, place: string): void {
  if (map === undefined || map === null) return;
  if (!isObject(map) || !Object.values(map).every((value) => typeof value === "string"))
    throw new WebhookError(`${place} must be a map of strings`);
}
