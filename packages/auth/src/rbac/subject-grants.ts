// Grants by subject: by user name and by group, then by namespace. A change of one binding touches only its subjects.

import { serviceAccountUserName } from "../identity/well-known-identities";
import { type Binding, Grant, type Role } from "./binding";
import type { Subject } from "./policy";

/** Grants of one subject in one namespace: the bindings by role. */
export type NamespaceGrants = ReadonlyMap<Role, ReadonlyMap<Binding, Grant>>;

/** Grants by namespace; "" for cluster-wide grants. */
export type GrantsOfSubject = ReadonlyMap<string, NamespaceGrants>;

type Places = Map<string, Map<Role, Map<Binding, Grant>>>;

/** Name of a user or of a group. */
export interface SubjectKey {
  readonly kind: "user" | "group";
  readonly name: string;
}

export class SubjectGrants {
  private readonly users = new Map<string, Places>();
  private readonly groups = new Map<string, Places>();

  ofUser(name: string): GrantsOfSubject | undefined {
    return this.users.get(name);
  }

  ofGroup(name: string): GrantsOfSubject | undefined {
    return this.groups.get(name);
  }

  add(binding: Binding, role: Role): void {
    for (const subject of binding.subjects) {
      const key = keyOf(subject, binding.namespace);
      if (key === undefined) continue;
      const places: Places = madeIn(this.of(key.kind), key.name);
      const grants = madeIn(madeIn(places, binding.namespace), role);
      if (!grants.has(binding)) grants.set(binding, new Grant(binding, subject));
    }
  }

  remove(binding: Binding, role: Role): void {
    for (const subject of binding.subjects) {
      const key = keyOf(subject, binding.namespace);
      if (key === undefined) continue;
      const subjects = this.of(key.kind);
      const places = subjects.get(key.name);
      const roles = places?.get(binding.namespace);
      const grants = roles?.get(role);
      if (places === undefined || roles === undefined || grants === undefined) continue;
      grants.delete(binding);
      if (grants.size === 0) roles.delete(role);
      if (roles.size === 0) places.delete(binding.namespace);
      if (places.size === 0) subjects.delete(key.name);
    }
  }

  private of(kind: SubjectKey["kind"]): Map<string, Places> {
    return kind === "user" ? this.users : this.groups;
  }
}

/**
 * Returns the key of a subject.
 * @returns undefined for a subject that matches no user
 */
export function keyOf({ kind, name, namespace }: Subject, bindingNamespace: string): SubjectKey | undefined {
  switch (kind) {
    case "User":
      return { kind: "user", name };
    case "Group":
      return { kind: "group", name };
    case "ServiceAccount": {
      const home = namespace || bindingNamespace;
      return home === "" ? undefined : { kind: "user", name: serviceAccountUserName(home, name) };
    }
    default:
      return undefined;
  }
}

function madeIn<Key, InnerKey, Value>(of: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  let inner = of.get(key);
  if (inner === undefined) {
    inner = new Map();
    of.set(key, inner);
  }
  return inner;
}
