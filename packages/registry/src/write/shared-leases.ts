// Objects with a lifetime hang on leases of the store, which drops them when it ends. A lease an object would cost as much as the
// object: one is shared by those that are written within a short time, and lasts that much longer. Source: facts, strategy.json
// "events"; flags.json "event-ttl", "lease-reuse-duration-seconds".
import type { Clock } from "@orch/platform";
import { type LeaseId, type Store, StoreError } from "@orch/store";

/** How long a lease takes objects on; of short lifetimes a share, so that none is much exceeded. */
const SHARED_FOR_SECONDS = 60;
const SHARE_OF_LIFETIME = 0.05;
/** The end of a lease deletes all of its objects at once. */
const OBJECTS_MAX = 1000;

interface SharedLease {
  readonly id: Promise<LeaseId>;
  /** Until when objects may still join it, milliseconds. */
  readonly openUntil: number;
  objects: number;
}

export class SharedLeases {
  /** By lifetime. */
  private readonly open = new Map<number, SharedLease>();

  constructor(private readonly deps: { readonly store: Pick<Store, "grantLease">; readonly clock: Clock }) {}

  /**
   * Writes an object that is to live so long from now, or little longer.
   * @param write called a second time, with another lease, where the store has lost the first: then it has written nothing
   * @throws StoreError, and what `write` throws
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
    // Those who wait for it hear of the failure; the next one asks anew.
    lease.id.catch(() => this.forget(lifetimeSeconds, lease));
    return lease;
  }

  /** Another write may have found the loss before, and have a new lease that is open now: that one stays. */
  private forget(lifetimeSeconds: number, lease: SharedLease): void {
    if (this.open.get(lifetimeSeconds) === lease) this.open.delete(lifetimeSeconds);
  }
}
