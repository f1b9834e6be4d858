// Leases of objects with a lifetime. The store deletes the objects when their lease expires. A lease per object would
// cost as much as the object, so objects written within a short time share one, which lasts that much longer. Source:
// staging/src/k8s.io/apiserver/pkg/storage/etcd3/lease_manager.go; the kube-apiserver flag `--event-ttl`.
import type { Clock } from "@orch/platform";
import { type LeaseId, type Store, StoreError } from "@orch/store";

/**
 * How long a lease accepts further objects. For short lifetimes it is a share of the lifetime, so that none is much
 * exceeded.
 */
const SHARED_FOR_SECONDS = 60;
const SHARE_OF_LIFETIME = 0.05;
/** Maximum number of objects of a lease: its expiry deletes all of them at once. */
const OBJECTS_MAX = 1000;

interface SharedLease {
  readonly id: Promise<LeaseId>;
  /** Time until which objects may join, milliseconds. */
  readonly openUntil: number;
  objects: number;
}

export class SharedLeases {
  /** Open leases by lifetime. */
  private readonly open = new Map<number, SharedLease>();

  constructor(private readonly deps: { readonly store: Pick<Store, "grantLease">; readonly clock: Clock }) {}

  /**
   * Writes an object that expires after the lifetime, or slightly later.
   * @param write called again with another lease if the store has lost the first one; nothing was written in that case
   * @throws StoreError, and errors of `write`
   */
  async hold<Result>(lifetimeSeconds: number, write: (lease: LeaseId) => Promise<Result>): Promise<Result> {
    const lease = this.take(lifetimeSeconds);
    try {
      return await write(await lease.id);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "leaseNotFound") throw error;
      this.forget(lifetimeSeconds, lease);
      return write(await this.take(lifetimeSeconds).id);
    }
  }

  private take(lifetimeSeconds: number): SharedLease {
    const open = this.open.get(lifetimeSeconds);
    const lease =
      open !== undefined && open.objects < OBJECTS_MAX && this.deps.clock.elapsed() < open.openUntil
        ? open
        : this.grant(lifetimeSeconds);
    lease.objects += 1;
    return lease;
  }

  private grant(lifetimeSeconds: number): SharedLease {
    const sharedFor = Math.max(1, Math.min(SHARED_FOR_SECONDS, Math.floor(lifetimeSeconds * SHARE_OF_LIFETIME)));
    const openUntil = this.deps.clock.elapsed() + sharedFor * 1000;
    const lease = { id: this.deps.store.grantLease(lifetimeSeconds + sharedFor), openUntil, objects: 0 };
    this.open.set(lifetimeSeconds, lease);
    // Waiting writes receive the error; the next write requests a new lease.
    lease.id.catch(() => this.forget(lifetimeSeconds, lease));
    return lease;
  }

  /** Another write may have found the loss before and opened a new lease, which must stay open. */
  private forget(lifetimeSeconds: number, lease: SharedLease): void {
    if (this.open.get(lifetimeSeconds) === lease) this.open.delete(lifetimeSeconds);
  }
}
