// What the three kinds of access reviews share: the question in their spec, its rules, and the decision as a status.
// Source: facts, validation/authorization.md.
import type { Attributes, Authorizer } from "@orch/auth";
import { type FieldError, field, type UserInfo } from "@orch/machinery";
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

/** A question is of one of two shapes. */
export function shapeErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "must be absent where resourceAttributes is given";
    return [field.invalid("spec.nonResourceAttributes", nonResourceAttributes, detail)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  return [
    field.invalid("spec.resourceAttributes", null, "one of resourceAttributes and nonResourceAttributes is needed"),
  ];
}

/** A question about somebody names them. */
export function subjectErrors({ user = "", groups = [] }: AccessSpec): readonly FieldError[] {
  return user === "" && groups.length === 0 ? [field.invalid("spec.user", user, "a user or a group is needed")] : [];
}

/** Nothing is stored, so there is nothing to name or to label. @param allowed a field that may be set all the same */
export function metadataErrors(object: JsonObject, allowed?: string): readonly FieldError[] {
  const metadata = (object["metadata"] ?? {}) as JsonObject;
  const set = Object.keys(metadata).some(
    (name) => name !== "managedFields" && name !== allowed && !isEmpty(metadata[name]),
  );
  if (!set) return [];
  return [field.invalid("metadata", metadata, `must be empty${allowed === undefined ? "" : ` except for ${allowed}`}`)];
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0;
}

/** Whom the spec of a review names. */
export function subjectOf({ user = "", uid, groups = [], extra }: AccessSpec): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** @param spec of a right shape: see `shapeErrors` */
export async function decide(authorizer: Authorizer, user: UserInfo, spec: AccessSpec): Promise<JsonObject> {
  const { kind, reason } = await authorizer.authorize(attributesOf(user, spec));
  return {
    allowed: kind === "allow",
    ...(kind === "deny" ? { denied: true } : {}),
    ...(reason === "" ? {} : { reason }),
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
