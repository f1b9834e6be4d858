// Informers of the four RBAC resources, which informer the authorizer.
import { RbacGrants, type RbacKind } from "@orch/auth";
import type { Logger } from "@orch/observability";
import type { EventLoopYielder, Registry, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { RbacStorages } from "@orch/served-resources";
import { RbacInformer } from "./rbac-informer";

export interface RbacInformersDeps {
  readonly storages: RbacStorages;
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
}

export class RbacInformers {
  readonly grants: RbacGrants;
  private readonly informers: readonly RbacInformer[];

  constructor(private readonly deps: RbacInformersDeps) {
    const { vocabulary, storages } = deps;
    this.grants = new RbacGrants({ vocabulary, catchUp: () => this.refresh() });
    const informer = (kind: RbacKind, storage: ResourceStorage) =>
      new RbacInformer({ ...deps, kind, storage, apply: (change) => this.grants.apply(change) });
    // Roles come before bindings, so that no binding is without its role for a moment.
    this.informers = [
      informer("ClusterRole", storages.clusterRoles),
      informer("Role", storages.roles),
      informer("ClusterRoleBinding", storages.clusterRoleBindings),
      informer("RoleBinding", storages.roleBindings),
    ];
  }

  /** Resolves when everything that is stored is in force. */
  async start(): Promise<void> {
    for (const informer of this.informers) await informer.start();
    this.grants.access.begin(this.deps.registry.health().revision);
  }

  /** Resolves when everything in the store at this time is in force. */
  async caughtUp(): Promise<void> {
    for (const informer of this.informers) await informer.caughtUp();
  }

  /** Resolves when everything in the cache at this time is in force. */
  async inForce(): Promise<void> {
    for (const informer of this.informers) await informer.inForce();
  }

  close(): void {
    for (const informer of this.informers) informer.close();
  }

  private refresh(): void {
    for (const informer of this.informers) informer.refresh();
  }
}
