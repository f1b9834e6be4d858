// The leases of a local store with their remaining times, and one timer for the next expiry.

import { type LeaseId, StoreError } from "../contract/contract";

interface Lease {
  readonly ttlSeconds: number;
  expiresAt: number;
  /** Keys that were ever put with this lease: a superset of those that are attached to it now. */
  readonly keys: Set<string>;
}

export class LeaseTable {
  private readonly leases = new Map<LeaseId, Lease>();
  private readonly onExpiry: (lease: LeaseId) => void;
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Number.POSITIVE_INFINITY;

  constructor(onExpiry: (lease: LeaseId) => void) {
    this.onExpiry = onExpiry;
  }

  grant(id: LeaseId, ttlSeconds: number): void {
    const expiresAt = performance.now() + ttlSeconds * 1000;
    this.leases.set(id, { ttlSeconds, expiresAt, keys: new Set() });
    this.wakeAt(expiresAt);
  }

  /** Granted seconds by lease. */
  granted(): ReadonlyMap<LeaseId, number> {
    return new Map([...this.leases].map(([id, { ttlSeconds }]) => [id, ttlSeconds]));
  }

  has(id: LeaseId): boolean {
    return this.leases.has(id);
  }

  /** Attaches a key. @throws StoreError leaseNotFound */
  attach(id: LeaseId, key: string): void {
    this.get(id).keys.add(key);
  }

  /** @returns the seconds left, 0 when the lease is gone */
  keepAlive(id: LeaseId): number {
    const lease = this.leases.get(id);
    if (lease === undefined) return 0;
    lease.expiresAt = performance.now() + lease.ttlSeconds * 1000;
    return lease.ttlSeconds;
  }

  /**
   * Removes the lease.
   * @returns the keys that may be attached to it, in no order
   * @throws StoreError leaseNotFound
   */
  end(id: LeaseId): readonly string[] {
    const { keys } = this.get(id);
    this.leases.delete(id);
    return [...keys];
  }

  stop(): void {
    clearTimeout(this.timer);
    this.leases.clear();
  }

  private get(id: LeaseId): Lease {
    const lease = this.leases.get(id);
    if (lease === undefined) throw leaseNotFound(id);
    return lease;
  }

  private wakeAt(at: number): void {
    if (at >= this.timerAt) return;
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(() => this.expire(), Math.min(Math.max(0, at - performance.now()), 2 ** 31 - 1)).unref();
  }

  private expire(): void {
    this.timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [id, { expiresAt }] of this.leases) {
      if (expiresAt <= now) this.onExpiry(id);
      else next = Math.min(next, expiresAt);
    }
    if (next !== Number.POSITIVE_INFINITY) this.wakeAt(next);
  }
}

export const leaseNotFound = (id: LeaseId) => new StoreError("leaseNotFound", `lease ${id} does not exist`);
