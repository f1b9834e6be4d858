// Grants of an action: the bindings whose role has a rule that allows it. Roles and bindings are read page by page, and
// only those that matter are kept.
import type { AskedAction } from "./asked-action";
import { isNear, type PolicyRule, ruleAllows, type Subject } from "./policy-rule";

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

/** A role or a binding. */
export interface RbacObject {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly rules?: readonly PolicyRule[] | null;
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly Subject[] | null;
}

export type RbacResource = "clusterroles" | "roles" | "clusterrolebindings" | "rolebindings";

/** Reads roles and bindings from a server. */
export interface RbacSource {
  /** Yields the objects of a namespace, or of all of them for "". */
  objects(resource: RbacResource, namespace: string): AsyncIterable<RbacObject>;
  /** Tells whether `objects` threw because the user may not list them. */
  isRefusal(error: unknown): boolean;
}

/**
 * Finds the bindings of roles whose rules allow the action, or come near to it, in all namespaces that the user may
 * read, else in the namespace of the action.
 */
export async function findGrants(
  source: RbacSource,
  asked: AskedAction,
  { near }: { readonly near: boolean },
): Promise<FoundGrants> {
  const unread = new Set<string>();
  const place = asked.kind === "resource" ? asked.namespace : "";
  const listed = (resource: RbacResource): AsyncGenerator<RbacObject, void, undefined> =>
    readable(source, resource, { place, unread });
  const roles = new Map<string, RoleMatch>();
  const keep = (kind: RoleMatch["kind"], { metadata, rules }: RbacObject): void => {
    const match = matchIn(rules ?? [], asked, near);
    const { name = "", namespace = "" } = metadata ?? {};
    if (match !== undefined) roles.set(`${kind}/${namespace}/${name}`, { kind, name, namespace, ...match });
  };
  for await (const each of listed("clusterroles")) keep("ClusterRole", each);
  const isPath = asked.kind === "path";
  if (!isPath) for await (const each of listed("roles")) keep("Role", each);
  const grants: Grant[] = [];
  const join = (kind: Grant["kind"], { metadata, roleRef, subjects }: RbacObject): void => {
    const { name = "", namespace = "" } = metadata ?? {};
    const of = roleRef?.kind === "Role" ? namespace : "";
    const role = roles.get(`${roleRef?.kind}/${of}/${roleRef?.name}`);
    if (role !== undefined) grants.push({ kind, name, namespace, role, subjects: subjects ?? [] });
  };
  for await (const each of listed("clusterrolebindings")) join("ClusterRoleBinding", each);
  if (!isPath) for await (const each of listed("rolebindings")) join("RoleBinding", each);
  return { grants, unread: [...unread] };
}

function matchIn(rules: readonly PolicyRule[], asked: AskedAction, near: boolean) {
  const allowing = rules.find((rule) => ruleAllows(rule, asked));
  if (allowing !== undefined) return { rule: allowing, allows: true };
  const close = near ? rules.find((rule) => isNear(rule, asked)) : undefined;
  return close && { rule: close, allows: false };
}

const isPlaced = (resource: RbacResource): boolean => resource === "roles" || resource === "rolebindings";

/** Yields the objects that the user may read: everywhere, else in one namespace. */
async function* readable(
  source: RbacSource,
  resource: RbacResource,
  { place, unread }: { readonly place: string; readonly unread: Set<string> },
): AsyncGenerator<RbacObject, void, undefined> {
  const hasPlace = isPlaced(resource) && place !== "";
  for (const namespace of hasPlace ? ["", place] : [""]) {
    try {
      yield* source.objects(resource, namespace);
      return;
    } catch (error) {
      if (!source.isRefusal(error)) throw error;
      const others = `${resource} of other namespaces`;
      unread.add(hasPlace && namespace === "" ? others : resource);
      if (namespace !== "") unread.delete(others);
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

export interface GrantedSubject {
  readonly kind: string;
  /** Name; of a service account with its namespace before it. */
  readonly subject: string;
  readonly grant: Grant;
}

/** Returns the subjects of a grant. */
export function subjectsOf(grant: Grant): readonly GrantedSubject[] {
  return grant.subjects.map((subject) => ({
    kind: subject.kind ?? "",
    subject: subjectName(subject, grant),
    grant,
  }));
}

/** Returns the name of a subject; that of a service account with its namespace before it. */
export const subjectName = ({ kind, name = "", namespace = "" }: Subject, grant: Grant): string =>
  kind === "ServiceAccount" ? `${namespace || grant.namespace}/${name}` : name;
