// The namespaces in which a user has any permission, kept up to date. Authorizers that cannot list their rules
// contribute nothing; changes are observed on roles and bindings. Source:
// docs/authorization.md, "Accessible namespaces".
import { type Authorizer, type NamespaceAccess, namespacesOf, type RbacGrants, type ResourceScopes } from "@orch/auth";
import type { UserInfo } from "@orch/machinery";
import type { DynamicScope, NameSet } from "@orch/registry";
import type { ResourceRoutes } from "@orch/request";

export interface AccessibleNamespacesDeps {
  readonly authorizer: Authorizer;
  readonly grants: Pick<RbacGrants, "refresh" | "access">;
  readonly routes: Pick<ResourceRoutes, "of">;
}

export class AccessibleNamespaces {
  private readonly scopes: ResourceScopes;

  constructor(private readonly deps: AccessibleNamespacesDeps) {
    this.scopes = {
      isOfCluster: (group, resource) => deps.routes.of({ group, resource })[0]?.definition.scope === "Cluster",
    };
  }

  of(user: UserInfo): DynamicScope {
    const { authorizer, grants } = this.deps;
    return {
      refresh: () => grants.refresh(),
      now: () => nameSet(namespacesOf(authorizer, user, this.scopes)),
      isChangedAfter: (revision) => grants.access.isChangedAfter(user, revision),
      listen: (changed) => grants.access.listen(user, changed),
    };
  }
}

const nameSet = ({ all, names }: NamespaceAccess): NameSet => (all ? EVERY_NAME : names);

const EVERY_NAME: NameSet = { has: () => true };
