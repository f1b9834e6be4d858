// Request and response of an authorization webhook. Source: Kubernetes documentation, "Webhook Mode".
import { isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";
import type { Attributes, Decision } from "../authorization/authorizer";
import type { SelectorRequirement } from "../authorization/requested-selectors";

/** Version of the reviews that are sent and expected. */
export type ReviewVersion = "v1" | "v1beta1";
export const REVIEW_VERSIONS: readonly ReviewVersion[] = ["v1", "v1beta1"];

/** Returns the spec of a v1 review. */
export function questionOf(attributes: Attributes): JsonObject {
  const { user, verb } = attributes;
  const { name, uid = "", groups, extra } = user;
  return {
    ...(attributes.kind === "nonResource"
      ? { nonResourceAttributes: { path: attributes.path, verb } }
      : { resourceAttributes: resourceOf(attributes) }),
    user: name,
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, all]) => [key, [...all]])) }),
    ...(uid === "" ? {} : { uid }),
  };
}

function resourceOf(of: Attributes & { kind: "resource" }): JsonObject {
  const parts = {
    namespace: of.namespace,
    verb: of.verb,
    group: of.apiGroup,
    version: of.apiVersion,
    resource: of.resource,
    subresource: of.subresource,
    name: of.name,
  };
  const selectors = of.selectors?.();
  return {
    ...Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== "")),
    ...selectorOf("fieldSelector", selectors?.fields),
    ...selectorOf("labelSelector", selectors?.labels),
  };
}

function selectorOf(
  name: "fieldSelector" | "labelSelector",
  requirements: readonly SelectorRequirement[] = [],
): JsonObject {
  if (requirements.length === 0) return {};
  const all = requirements.map(({ values, ...rest }) => ({
    ...rest,
    ...(values !== undefined && { values: [...values] }),
  }));
  return { [name]: { requirements: all } };
}

/** Returns the encoded review. */
export function reviewText(question: JsonObject, version: ReviewVersion, vocabulary: Vocabulary): string {
  const { groups, ...rest } = question;
  const spec = version === "v1" || groups === undefined ? question : { ...rest, group: groups };
  const apiVersion = `${vocabulary.groups.authorization}/${version}`;
  return JSON.stringify({ kind: "SubjectAccessReview", apiVersion, metadata: {}, spec, status: { allowed: false } });
}

/** A response that is not valid. The message says why. */
export class ReviewAnswerError extends Error {
  override readonly name = "ReviewAnswerError";
  readonly code = "ReviewAnswer";
}

/** Maximum number of characters of a reason. It is cached with the decision and shown to users. */
const REASON_MAX = 2048;

/** @throws ReviewAnswerError */
export function decisionIn(text: string, version: ReviewVersion, vocabulary: Vocabulary): Decision {
  const { allowed, denied, reason } = statusIn(text, version, vocabulary);
  if (denied && allowed) {
    return { kind: "deny", reason, error: "webhook subject access review returned both allow and deny response" };
  }
  return { kind: denied ? "deny" : allowed ? "allow" : "noOpinion", reason };
}

function statusIn(text: string, version: ReviewVersion, vocabulary: Vocabulary) {
  const review = parsed(text);
  const expected = { apiVersion: `${vocabulary.groups.authorization}/${version}`, kind: "SubjectAccessReview" };
  for (const [name, value] of Object.entries(expected)) {
    const given = memberOf(review, name) ?? "";
    if (given !== "" && given !== value) throw new ReviewAnswerError(`its ${name} is not ${value}`);
  }
  const status = memberOf(review, "status") ?? {};
  if (!isObject(status)) throw new ReviewAnswerError("its status is not an object");
  const said = (name: string): boolean => {
    const value = memberOf(status, name) ?? false;
    if (typeof value !== "boolean") throw new ReviewAnswerError(`its status.${name} must be true or false`);
    return value;
  };
  const reason = memberOf(status, "reason") ?? "";
  if (typeof reason !== "string") throw new ReviewAnswerError("its status.reason is not a string");
  return { allowed: said("allowed"), denied: said("denied"), reason: reason.slice(0, REASON_MAX) };
}

function parsed(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new ReviewAnswerError("it is not JSON");
  }
  if (!isObject(value)) throw new ReviewAnswerError("it is not a JSON object");
  return value;
}
