// Grants of an action: the bindings whose role has a rule that allows it. Roles and bindings are read page by page, and
// only those that matter are kept.
import { builtInTypes, type Client, type ResourceClient } from "@orch/client";
import { StatusError } from "@orch/machinery";
import type { AskedAction } from "./asked-action";
import { isNear, type PolicyRule, ruleAllows, type Subject } from "./rbac-rules";

interface RoleMatch {
  readonly kind: "Role" | "ClusterRole";
  readonly name: string;
  readonly namespace: string;
  readonly rule: PolicyRule;
  /** Whether the rule allows the action; otherwise it only comes near. */
  readonly allows: boolean;
}

export interface Grant {
  readonly kind: "RoleBinding" | "ClusterRoleBinding";
  readonly name: string;
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly role: RoleMatch;
  readonly subjects: readonly Subject[];
}

export interface FoundGrants {
  readonly grants: readonly Grant[];
  /** Resources that the user may not list. The grants are then incomplete. */
  readonly unread: readonly string[];
}

interface RbacObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[] | null;
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly Subject[] | null;
}

/**
 * Finds the bindings of roles whose rules allow the action, or come near to it, in all namespaces that the user may
 * read, else in the namespace of the action.
 */
export async function findGrants(
  client: Client,
  asked: AskedAction,
  { near, signal }: { readonly near: boolean; readonly signal: AbortSignal },
): Promise<FoundGrants> {
  const types = builtInTypes(client.vocabulary);
  const unread = new Set<string>();
  const place = asked.kind === "resource" ? asked.namespace : "";
  const listed = (resource: ResourceClient<object>): AsyncGenerator<RbacObject, void, undefined> =>
    readable(resource, { place, unread, signal });
  const roles = new Map<string, RoleMatch>();
  const keep = (kind: RoleMatch["kind"], { metadata, rules }: RbacObject): void => {
    const match = matchIn(rules ?? [], asked, near);
    const { name = "", namespace = "" } = metadata ?? {};
    if (match !== undefined) roles.set(`${kind}/${namespace}/${name}`, { kind, name, namespace, ...match });
  };
  for await (const each of listed(client.resource(types.clusterRoles))) keep("ClusterRole", each);
  const isPath = asked.kind === "path";
  if (!isPath) for await (const each of listed(client.resource(types.roles))) keep("Role", each);
  const grants: Grant[] = [];
  const join = (kind: Grant["kind"], { metadata, roleRef, subjects }: RbacObject): void => {
    const { name = "", namespace = "" } = metadata ?? {};
    const of = roleRef?.kind === "Role" ? namespace : "";
    const role = roles.get(`${roleRef?.kind}/${of}/${roleRef?.name}`);
    if (role !== undefined) grants.push({ kind, name, namespace, role, subjects: subjects ?? [] });
  };
  for await (const each of listed(client.resource(types.clusterRoleBindings))) join("ClusterRoleBinding", each);
  if (!isPath) for await (const each of listed(client.resource(types.roleBindings))) join("RoleBinding", each);
  return { grants, unread: [...unread] };
}

function matchIn(rules: readonly PolicyRule[], asked: AskedAction, near: boolean) {
  const allowing = rules.find((rule) => ruleAllows(rule, asked));
  if (allowing !== undefined) return { rule: allowing, allows: true };
  const close = near ? rules.find((rule) => isNear(rule, asked)) : undefined;
  return close && { rule: close, allows: false };
}

/** Yields the objects that the user may read: everywhere, else in one namespace. */
async function* readable(
  resource: ResourceClient<object>,
  { place, unread, signal }: { readonly place: string; readonly unread: Set<string>; readonly signal: AbortSignal },
): AsyncGenerator<RbacObject, void, undefined> {
  const { type } = resource;
  const isPlaced = type.namespaced && place !== "";
  for (const each of [resource, ...(isPlaced ? [resource.namespace(place)] : [])]) {
    try {
      yield* each.all({ signal, dropsManagedFields: true });
      return;
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 403) throw error;
      const others = `${type.resource} of other namespaces`;
      unread.add(isPlaced && each === resource ? others : type.resource);
      if (each !== resource) unread.delete(others);
    }
  }
}

/** Tells whether a grant applies where the action is: cluster-wide, or in the action's namespace. */
export function appliesTo({ namespace }: Grant, asked: AskedAction): boolean {
  return namespace === "" || (asked.kind === "resource" && asked.namespace === namespace);
}

/** Names a binding or role, such as `RoleBinding shop/readers`. */
export const placeText = ({ kind, namespace, name }: { kind: string; namespace: string; name: string }): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
