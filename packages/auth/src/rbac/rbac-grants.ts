// Grants of bound roles, found by user. The authorizer and the escalation check use them. They are maintained
// incrementally: a change of a role or binding touches only its own entries.
// Source: pkg/registry/rbac/validation/rule.go.
import type { UserInfo } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Attributes } from "../authorization/authorizer";
import { AccessChanges } from "./access-changes";
import type { Binding, Grant, Role } from "./binding";
import { type PolicyRule, type RoleRef, roleRefOf, rulesOf, subjectsOf } from "./policy";
import { type Match, RoleIndex } from "./role-index";
import { type GrantsOfSubject, type NamespaceGrants, SubjectGrants } from "./subject-grants";

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** References of the user's bindings to roles that do not exist or are of another kind, as messages. */
  readonly problems: readonly string[];
}

export type RbacKind = "ClusterRole" | "Role" | "ClusterRoleBinding" | "RoleBinding";

/** A change of a stored role or binding. */
export interface RbacChange {
  readonly kind: RbacKind;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  /** The object in the storage version, never changed afterwards; undefined: it is deleted. */
  readonly object: JsonObject | undefined;
  /** Store revision of the change. */
  readonly revision: number;
}

/** Maximum number of problems in one text. */
const PROBLEMS_MAX = 100;

export class RbacGrants {
  readonly access = new AccessChanges();
  private readonly group: string;
  private readonly catchUp: () => void;
  private readonly clusterRoles = new RoleIndex<Binding>("ClusterRole");
  /** Role indexes by namespace. */
  private readonly roles = new Map<string, RoleIndex<Binding>>();
  /** Invalid role references of bindings, such as references to another kind. */
  private readonly impossible = new Map<string, RoleIndex<Binding>>();
  /** Bindings by namespace and name. */
  private readonly bindings = new Map<string, Map<string, { readonly binding: Binding; readonly role: Role }>>();
  private readonly subjects = new SubjectGrants();

  /** @param of.catchUp called before each query: passes pending changes to `apply` */
  constructor(of: { readonly vocabulary: Vocabulary; readonly catchUp?: () => void }) {
    this.group = of.vocabulary.groups.rbac;
    this.catchUp = of.catchUp ?? (() => {});
  }

  apply(change: RbacChange): void {
    switch (change.kind) {
      case "ClusterRole":
      case "Role":
        this.applyRole(change);
        break;
      case "ClusterRoleBinding":
      case "RoleBinding":
        this.applyBinding(change);
        break;
    }
  }

  private applyRole({ kind, namespace, name, object, revision }: RbacChange): void {
    const index = this.indexOf(kind, namespace);
    const before = index.find(name);
    const grantedBefore = before?.rules;
    const role = index.put(name, object && rulesOf(object));
    this.drop(index, namespace);
    if (role !== undefined) this.access.roleChanged(role, grantedBefore, revision);
  }

  private applyBinding({ namespace, name, object, revision }: RbacChange): void {
    const known = this.bindings.get(namespace)?.get(name);
    if (known !== undefined) this.forget(known);
    if (object !== undefined) {
      const binding = { namespace, name, roleRef: roleRefOf(object), subjects: subjectsOf(object) };
      const role = this.indexOf(binding.roleRef.kind, namespace).bind(binding.roleRef, binding);
      this.subjects.add(binding, role);
      const ofNamespace = this.bindings.get(namespace) ?? new Map();
      this.bindings.set(namespace, ofNamespace);
      ofNamespace.set(name, { binding, role });
      this.access.bindingChanged(binding, revision);
    }
    if (known !== undefined) this.access.bindingChanged(known.binding, revision);
  }

  private forget({ binding, role }: { readonly binding: Binding; readonly role: Role }): void {
    const { namespace, name, roleRef } = binding;
    this.subjects.remove(binding, role);
    const index = this.indexOf(roleRef.kind, namespace);
    index.unbind(role, binding);
    this.drop(index, namespace);
    const ofNamespace = this.bindings.get(namespace);
    ofNamespace?.delete(name);
    if (ofNamespace?.size === 0) this.bindings.delete(namespace);
  }

  /** Returns the index of a kind in a namespace; creates it when absent. */
  private indexOf(kind: string, namespace: string): RoleIndex<Binding> {
    if (kind === "ClusterRole") return this.clusterRoles;
    const [indexes, key] = kind === "Role" ? [this.roles, namespace] : [this.impossible, kind];
    const index = indexes.get(key) ?? new RoleIndex<Binding>(kind);
    indexes.set(key, index);
    return index;
  }

  private drop(index: RoleIndex<Binding>, namespace: string): void {
    if (index.isEmpty && this.roles.get(namespace) === index) this.roles.delete(namespace);
  }

  /** Applies pending changes. Must be called before the queries below. */
  refresh(): void {
    this.catchUp();
  }

  /** Returns the grants of the user, then those of each of the user's groups. Subjects without grants are left out. */
  grantsTo(user: UserInfo): readonly GrantsOfSubject[] {
    const found: GrantsOfSubject[] = [];
    const own = this.subjects.ofUser(user.name);
    if (own !== undefined) found.push(own);
    for (const group of user.groups) {
      const ofGroup = this.subjects.ofGroup(group);
      if (ofGroup !== undefined) found.push(ofGroup);
    }
    return found;
  }

  /**
   * Finds a grant that allows the request. Cluster-wide bindings are checked before those of the request's namespace.
   */
  findAllowing(
    asked: Attributes,
    grants: readonly GrantsOfSubject[],
  ): { readonly role: Role; readonly grant: Grant } | undefined {
    if (grants.length === 0) return undefined;
    const cluster = this.clusterRoles.allowing(asked);
    for (const each of grants) {
      const role = firstAllowed(each.get(""), cluster, asked);
      if (role !== undefined) return granted(each, "", role);
    }
    const namespace = asked.kind === "resource" ? asked.namespace : "";
    if (namespace === "") return undefined;
    const local = this.roles.get(namespace)?.allowing(asked);
    for (const each of grants) {
      const place = each.get(namespace);
      const role = firstAllowed(place, cluster, asked) ?? (local && firstAllowed(place, local, asked));
      if (role !== undefined) return granted(each, namespace, role);
    }
    return undefined;
  }

  /** @param namespace "" for cluster-wide grants */
  heldBy(user: UserInfo, namespace: string): HeldRules {
    this.refresh();
    const rules: PolicyRule[] = [];
    for (const role of this.rolesOf(user, namespace)) for (const rule of role.rules ?? []) rules.push(rule);
    return { rules, problems: this.problemsOf(this.grantsTo(user), namespace, "s") };
  }

  /** Returns the roles bound to the user cluster-wide and in the namespace, each once. */
  rolesOf(user: UserInfo, namespace: string): ReadonlySet<Role> {
    const found = new Set<Role>();
    const places = namespace === "" ? [""] : ["", namespace];
    const grants = this.grantsTo(user);
    for (const place of places) {
      for (const each of grants) for (const role of each.get(place)?.keys() ?? []) found.add(role);
    }
    return found;
  }

  /** Returns whether the role is bound to the user cluster-wide. */
  isBoundEverywhere(role: Role, user: UserInfo): boolean {
    return this.grantsTo(user).some((each) => each.get("")?.has(role));
  }

  /**
   * Returns messages about roles of the grants that do not exist or are of another kind, each once.
   * @param ending ending of the resource names: the authorizer uses the singular, the API the plural
   */
  problemsOf(grants: readonly GrantsOfSubject[], namespace: string, ending: "" | "s"): readonly string[] {
    const lost = [this.clusterRoles.lost, this.roles.get("")?.lost, this.roles.get(namespace)?.lost];
    for (const index of this.impossible.values()) lost.push(index.lost);
    const texts = new Set<string>();
    for (const place of namespace === "" ? [""] : ["", namespace]) {
      for (const each of grants) {
        const roles = each.get(place);
        if (roles === undefined) continue;
        for (const of of lost) {
          if (of === undefined || of.size === 0) continue;
          for (const role of common(roles, of)) {
            texts.add(this.lostText(role.ref, ending));
            if (texts.size === PROBLEMS_MAX) return [...texts, "and more"];
          }
        }
      }
    }
    return [...texts];
  }

  private lostText({ kind, name }: RoleRef, ending: "" | "s"): string {
    if (kind !== "ClusterRole" && kind !== "Role") return `unsupported role reference kind: ${JSON.stringify(kind)}`;
    return `${kind.toLowerCase()}${ending}.${this.group} ${JSON.stringify(name)} not found`;
  }
}

/** Yields the roles in both collections, iterating over the smaller one. */
function* common(roles: NamespaceGrants, others: ReadonlySet<Role>): Generator<Role> {
  if (others.size < roles.size) {
    for (const role of others) if (roles.has(role)) yield role;
  } else {
    for (const role of roles.keys()) if (others.has(role)) yield role;
  }
}

function firstAllowed(roles: NamespaceGrants | undefined, match: Match<Binding>, asked: Attributes): Role | undefined {
  if (roles === undefined) return undefined;
  for (const exact of match.exact) {
    const role = firstCommon(roles, exact);
    if (role !== undefined) return role;
  }
  for (const broad of match.broad) {
    for (const role of common(roles, broad)) if (role.broad?.allow(asked)) return role;
  }
  return undefined;
}

function firstCommon(roles: NamespaceGrants, others: ReadonlySet<Role>): Role | undefined {
  if (others.size < roles.size) {
    for (const role of others) if (roles.has(role)) return role;
  } else {
    for (const role of roles.keys()) if (others.has(role)) return role;
  }
  return undefined;
}

function granted(
  grants: GrantsOfSubject,
  namespace: string,
  role: Role,
): { readonly role: Role; readonly grant: Grant } {
  const [grant] = grants.get(namespace)?.get(role)?.values() ?? [];
  if (grant === undefined) throw new Error("a role is not bound");
  return { role, grant };
}
