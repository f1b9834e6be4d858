// What bound roles grant, found by user: the authorizer decides by it, and nobody may hand on more than it gives him.
// Source: facts, rbac-bootstrap.json "evaluation".
import type { UserInfo } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { type Grant, type GrantIndex, grantsTo, indexGrants, type RoleLookup } from "./grant-index";
import type { PolicyRule } from "./policy";
import type { RbacView } from "./rbac-view";

export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  /** Roles of the user's bindings that could not be read: what they grant is not among the rules. */
  readonly problems: readonly string[];
}

/**
 * Bindings are indexed by subject when first needed after a change, a namespace at a time, so that a decision walks only what is
 * granted to this user.
 */
export class RbacGrants {
  private readonly view: RbacView;
  private readonly roles: RoleLookup;
  private readonly group: string;
  private indexedVersion = Number.NaN;
  private cluster: GrantIndex | undefined;
  private namespaces = new Map<string, GrantIndex>();

  constructor(of: { readonly view: RbacView; readonly vocabulary: Vocabulary }) {
    this.view = of.view;
    this.roles = roleLookup(of.view);
    this.group = of.vocabulary.groups.rbac;
  }

  /** By bindings of the whole cluster. Asked first: forgets what is outdated, of the namespaces too. */
  everywhere(): GrantIndex {
    const { version } = this.view;
    if (version !== this.indexedVersion) {
      this.indexedVersion = version;
      this.cluster = undefined;
      this.namespaces = new Map();
    }
    this.cluster ??= indexGrants(this.view.clusterRoleBindings(), this.roles);
    return this.cluster;
  }

  /** By a namespace's own bindings. */
  within(namespace: string): GrantIndex {
    const known = this.namespaces.get(namespace);
    if (known !== undefined) return known;
    const index = indexGrants(this.view.roleBindings(namespace), this.roles);
    // Nothing is kept for namespaces without bindings: clients may ask for any number of names that do not exist.
    if (index.users.size + index.groups.size > 0) this.namespaces.set(namespace, index);
    return index;
  }

  /** @param namespace "" for what is granted everywhere */
  heldBy(user: UserInfo, namespace: string): HeldRules {
    const everywhere = grantsTo(user, this.everywhere());
    const grants = namespace === "" ? everywhere : [...everywhere, ...grantsTo(user, this.within(namespace))];
    return {
      rules: grants.flatMap(({ rules }) => rules),
      problems: this.problemsOf(grants, "s"),
    };
  }

  /** Why grants say nothing, each once. @param ending of the resources' names: authorizers speak of one, the API of many */
  problemsOf(grants: readonly Grant[], ending: "" | "s"): readonly string[] {
    const texts = grants.flatMap(({ lostRole }) => {
      if (lostRole === undefined) return [];
      const { kind, name } = lostRole;
      if (kind !== "ClusterRole" && kind !== "Role") return `unsupported role reference kind: ${JSON.stringify(kind)}`;
      return `${kind.toLowerCase()}${ending}.${this.group} ${JSON.stringify(name)} not found`;
    });
    return [...new Set(texts)];
  }
}

function roleLookup(view: RbacView): RoleLookup {
  return {
    resolve({ kind, name }, namespace) {
      if (kind === "ClusterRole") return view.clusterRole(name);
      return kind === "Role" ? view.role(namespace, name) : undefined;
    },
  };
}
