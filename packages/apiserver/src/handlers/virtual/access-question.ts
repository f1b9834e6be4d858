// Common parts of the three access reviews: the question in their spec, and the decision as status.
import { type Attributes, type Authorizer, type ExplanationScope, explained } from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

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
 * @param spec spec of a valid review
 * @param scope information besides the decision that the client may receive
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
