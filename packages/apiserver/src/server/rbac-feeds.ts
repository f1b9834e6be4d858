// Feeds of the four RBAC resources to the authorizer.
import { RbacGrants, type RbacKind } from "@orch/auth";
import type { LoopTurns, Registry, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Logger } from "../logging/logger";
import type { RbacStorages } from "../serving/bootstrap-objects";
import { RbacFeed } from "./rbac-feed";

export interface RbacFeedsDeps {
  readonly storages: RbacStorages;
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  readonly loop: LoopTurns;
  readonly logger: Logger;
}

export class RbacFeeds {
  readonly grants: RbacGrants;
  private readonly feeds: readonly RbacFeed[];

  constructor(private readonly deps: RbacFeedsDeps) {
    const { vocabulary, storages } = deps;
    this.grants = new RbacGrants({ vocabulary, catchUp: () => this.refresh() });
    const feed = (kind: RbacKind, storage: ResourceStorage) =>
      new RbacFeed({ ...deps, kind, storage, apply: (change) => this.grants.apply(change) });
    // Roles come before bindings, so that no binding is without its role for a moment.
    this.feeds = [
      feed("ClusterRole", storages.clusterRoles),
      feed("Role", storages.roles),
      feed("ClusterRoleBinding", storages.clusterRoleBindings),
      feed("RoleBinding", storages.roleBindings),
    ];
  }

  /** Resolves when everything that is stored is in force. */
  async start(): Promise<void> {
    for (const feed of this.feeds) await feed.start();
    this.grants.access.begin(this.deps.registry.health().revision);
  }

  /** Resolves when everything in the store at this time is in force. */
  async caughtUp(): Promise<void> {
    for (const feed of this.feeds) await feed.caughtUp();
  }

  /** Resolves when everything in the cache at this time is in force. */
  async inForce(): Promise<void> {
    for (const feed of this.feeds) await feed.inForce();
  }

  close(): void {
    for (const feed of this.feeds) feed.close();
  }

  private refresh(): void {
    for (const feed of this.feeds) feed.refresh();
  }
}
