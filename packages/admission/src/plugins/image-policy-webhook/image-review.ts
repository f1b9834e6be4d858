// ImageReview requests and responses. Source: Kubernetes documentation, "Admission Control in Kubernetes",
// "ImagePolicyWebhook".
import { metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";

export interface ImageVerdict {
  readonly allowed: boolean;
  /** "" when the backend gives none. */
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** Response that cannot be used. */
class ImageAnswerError extends Error {
  override readonly name = "ImageAnswerError";
  constructor(why: string) {
    super(`the answer of the image policy backend is invalid: ${why}`);
  }
}

const KIND = "ImageReview";
/** Maximum length of the reason, which clients receive, and of all annotations together, which the audit log keeps. */
const REASON_MAX = 10_000;
const ANNOTATIONS_MAX = 64 * 1024;

/** Returns the `spec` of the review, which is also the cache key of the response. */
export function reviewSpec(pod: JsonObject, namespace: string, { annotations }: Vocabulary): JsonObject {
  const images = ["containers", "initContainers"].flatMap((list) => containersOf(pod, list));
  const part = annotations.imagePolicy.replaceAll("*", "");
  const told = Object.entries(metaOf(pod).annotations ?? {}).filter(([key]) => key.includes(part));
  told.sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...(images.length > 0 && { containers: images.map((image) => (image === "" ? {} : { image })) }),
    ...(told.length > 0 && { annotations: Object.fromEntries(told) }),
    ...(namespace !== "" && { namespace }),
  };
}

function containersOf(pod: JsonObject, list: string): readonly string[] {
  const containers = ((pod["spec"] ?? {}) as JsonObject)[list] ?? [];
  return (containers as readonly { readonly image?: string }[]).map(({ image }) => image ?? "");
}

export const reviewText = (spec: string, { groups }: Vocabulary): string =>
  `{"kind":"${KIND}","apiVersion":"${groups.imagepolicy}/v1alpha1","spec":${spec}}`;

/** @throws ImageAnswerError */
export function verdictIn(text: string, { groups }: Vocabulary): ImageVerdict {
  const review = parsed(text);
  for (const [name, expected] of Object.entries({ apiVersion: `${groups.imagepolicy}/v1alpha1`, kind: KIND })) {
    const given = memberOf(review, name) ?? "";
    if (given !== "" && given !== expected) throw new ImageAnswerError(`its ${name} is not ${expected}`);
  }
  const status = memberOf(review, "status") ?? {};
  if (!isObject(status)) throw new ImageAnswerError("its status is not an object");
  const [allowed, reason] = [memberOf(status, "allowed") ?? false, memberOf(status, "reason") ?? ""];
  if (typeof allowed !== "boolean") throw new ImageAnswerError("its status.allowed must be true or false");
  if (typeof reason !== "string") throw new ImageAnswerError("its status.reason is not a string");
  return { allowed, reason: reason.slice(0, REASON_MAX), auditAnnotations: auditAnnotations(status) };
}

function auditAnnotations(status: JsonObject): Readonly<Record<string, string>> {
  const said = memberOf(status, "auditAnnotations") ?? {};
  const entries = isObject(said) ? Object.entries(said) : undefined;
  if (entries === undefined || entries.some(([, value]) => typeof value !== "string"))
    throw new ImageAnswerError("its status.auditAnnotations is not a map of strings");
  const length = (entries as [string, string][]).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  if (length > ANNOTATIONS_MAX) throw new ImageAnswerError("its status.auditAnnotations are too long");
  return Object.fromEntries(entries) as Record<string, string>;
}

function parsed(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new ImageAnswerError("it is not JSON");
  }
  if (!isObject(value)) throw new ImageAnswerError("it is not a JSON object");
  return value;
}
