// Common parts of the three access reviews: the question in their spec, and the decision as status.
import {
  type Attributes,
  type Authorizer,
  type ExplanationScope,
  explained,
  type RequestedSelectors,
} from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { type AskedSelector, type ReviewedSelector, reviewedFields, reviewedLabels } from "./reviewed-selectors";

/** Decoded spec of an access review; SelfSubjectAccessReview has no `user` and no later members. */
export interface AccessSpec {
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly fieldSelector?: AskedSelector;
    readonly labelSelector?: AskedSelector;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const accessSpecOf = (object: JsonObject): AccessSpec => object["spec"] as AccessSpec;

/** Returns the user that the spec of a review names. */
export function subjectOf({ user = "", uid, groups = [], extra }: AccessSpec): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/**
 * Removes the selectors from a review while authorizers do not receive them. Call it before validation.
 * @param withSelectors whether the feature gate AuthorizeWithSelectors is on
 */
export function dropSelectors(object: JsonObject, withSelectors: boolean): void {
  const spec = object["spec"];
  const attributes = isObject(spec) ? spec["resourceAttributes"] : undefined;
  if (withSelectors || !isObject(attributes)) return;
  delete attributes["fieldSelector"];
  delete attributes["labelSelector"];
}

/**
 * @param spec spec of a valid review
 * @param scope information besides the decision that the client may receive
 */
export async function decide(
  authorizer: Authorizer,
  user: UserInfo,
  spec: AccessSpec,
  scope: ExplanationScope,
): Promise<JsonObject> {
  const { attributes, ignored } = attributesOf(user, spec);
  const decision = await authorizer.authorize(attributes);
  const reason = explained(authorizer, attributes, decision, scope);
  const errors = [...(decision.error === undefined ? [] : [decision.error]), ...ignored];
  return {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(errors.length === 0 ? {} : { evaluationError: errors.join("; ") }),
  };
}

/** Attributes of a review, and the parts of its selectors that authorizers do not receive. */
interface ReviewedAction {
  readonly attributes: Attributes;
  readonly ignored: readonly string[];
}

function attributesOf(user: UserInfo, { resourceAttributes, nonResourceAttributes }: AccessSpec): ReviewedAction {
  if (resourceAttributes === undefined) {
    const { verb = "", path = "" } = nonResourceAttributes ?? {};
    return { attributes: { kind: "nonResource", user, verb, path }, ignored: [] };
  }
  const { verb = "", group = "", version = "", resource = "" } = resourceAttributes;
  const { subresource = "", namespace = "", name = "", fieldSelector, labelSelector } = resourceAttributes;
  const place = { apiGroup: group, apiVersion: version, resource, subresource, namespace, name };
  const resourceOf = (selectors?: () => RequestedSelectors): Attributes => ({
    ...{ kind: "resource", user, verb, ...place },
    selectors,
  });
  if (fieldSelector === undefined && labelSelector === undefined) return { attributes: resourceOf(), ignored: [] };
  const fields = reviewedFields(fieldSelector);
  const labels = reviewedLabels(labelSelector);
  return {
    attributes: resourceOf(() => ({ fields: fields.requirements, labels: labels.requirements })),
    ignored: [...ignoredParts("fieldSelector", fields), ...ignoredParts("labelSelector", labels)],
  };
}

function ignoredParts(name: string, { requirements, isWhole }: ReviewedSelector): readonly string[] {
  if (isWhole) return [];
  const part = requirements.length > 0 ? "partially ignored" : "ignored";
  return [`spec.resourceAttributes.${name} ${part} due to parse error`];
}
