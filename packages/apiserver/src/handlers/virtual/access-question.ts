// What the three kinds of access reviews share: the question in their spec, and the decision as a status.
import { type Attributes, type Authorizer, type ExplanationScope, explained } from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Specs of the access reviews, decoded; `user` and what follows it is not in that of SelfSubjectAccessReview. */
export interface AccessSpec {
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly version?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const accessSpecOf = (object: JsonObject): AccessSpec => object["spec"] as AccessSpec;

/** Whom the spec of a review names. */
export function subjectOf({ user = "", uid, groups = [], extra }: AccessSpec): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/**
 * @param spec of a valid review
 * @param scope what its author may be told of, besides the decision
 */
export async function decide(
  authorizer: Authorizer,
  user: UserInfo,
  spec: AccessSpec,
  scope: ExplanationScope,
): Promise<JsonObject> {
  const attributes = attributesOf(user, spec);
  const decision = await authorizer.authorize(attributes);
  const reason = explained(authorizer, attributes, decision, scope);
  return {
    allowed: decision.kind === "allow",
    ...(decision.kind === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
    ...(decision.error === undefined ? {} : { evaluationError: decision.error }),
  };
}

function attributesOf(user: UserInfo, { resourceAttributes, nonResourceAttributes }: AccessSpec): Attributes {
  if (resourceAttributes === undefined) {
    const { verb = "", path = "" } = nonResourceAttributes ?? {};
    return { kind: "nonResource", user, verb, path };
  }
  const { verb = "", group = "", version = "", resource = "" } = resourceAttributes;
  const { subresource = "", namespace = "", name = "" } = resourceAttributes;
  return { kind: "resource", user, verb, apiGroup: group, apiVersion: version, resource, subresource, namespace, name };
}
