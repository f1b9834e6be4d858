// Which rules a set of bindings grants to whom, found by user name and by group instead of by walking all bindings.
// Source: facts, rbac-bootstrap.json "evaluation".
import type { UserInfo } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Decision } from "../authorizer";
import { serviceAccountUserName } from "../well-known-identities";
import { metadataOf, type PolicyRule, type RoleRef, roleRefOf, rulesOf, type Subject, subjectsOf } from "./policy";

/** One binding for one subject. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** What is decided when one of the rules matches. */
  readonly allowed: Decision;
  /** That of the binding, where it leads to no role; the rules are then empty. */
  readonly lostRole: RoleRef | undefined;
}

export interface GrantIndex {
  readonly users: ReadonlyMap<string, readonly Grant[]>;
  readonly groups: ReadonlyMap<string, readonly Grant[]>;
}

/** Where a binding's role is found. */
export interface RoleLookup {
  resolve(roleRef: RoleRef, bindingNamespace: string): JsonObject | undefined;
}

export function indexGrants(bindings: Iterable<JsonObject>, roles: RoleLookup): GrantIndex {
  const users = new Map<string, Grant[]>();
  const groups = new Map<string, Grant[]>();
  for (const binding of bindings) {
    const { namespace } = metadataOf(binding);
    const roleRef = roleRefOf(binding);
    const role = roles.resolve(roleRef, namespace);
    for (const subject of subjectsOf(binding)) {
      const grant: Grant = {
        rules: role === undefined ? [] : rulesOf(role),
        allowed: { kind: "allow", reason: `RBAC: allowed by ${describe(binding, roleRef, subject)}` },
        lostRole: role === undefined ? roleRef : undefined,
      };
      place(subject, namespace, grant, { users, groups });
    }
  }
  return { users, groups };
}

/** All grants to a user: those by name, then those of each group. */
export function grantsTo(user: UserInfo, index: GrantIndex): readonly Grant[] {
  return [index.users.get(user.name), ...user.groups.map((group) => index.groups.get(group))].flatMap(
    (grants) => grants ?? [],
  );
}

function place(
  subject: Subject,
  bindingNamespace: string,
  grant: Grant,
  into: { readonly users: Map<string, Grant[]>; readonly groups: Map<string, Grant[]> },
): void {
  switch (subject.kind) {
    case "User":
      add(into.users, subject.name, grant);
      break;
    case "Group":
      add(into.groups, subject.name, grant);
      break;
    case "ServiceAccount": {
      const namespace = subject.namespace || bindingNamespace;
      if (namespace !== "") add(into.users, serviceAccountUserName(namespace, subject.name), grant);
      break;
    }
  }
}

function add(grants: Map<string, Grant[]>, key: string, grant: Grant): void {
  const known = grants.get(key);
  if (known === undefined) grants.set(key, [grant]);
  else known.push(grant);
}

function describe(binding: JsonObject, roleRef: RoleRef, subject: Subject): string {
  const { name, namespace } = metadataOf(binding);
  const bound =
    namespace === ""
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  const whom =
    subject.kind === "ServiceAccount"
      ? JSON.stringify(`${subject.name}/${subject.namespace || namespace}`)
      : JSON.stringify(subject.name);
  return `${bound} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject.kind} ${whom}`;
}
