// Leases of live replicas: one key per replica, which expires unless the replica renews it. Source:
// pkg/controlplane/reconcilers/lease.go.
import { type LeaseId, type Store, StoreError } from "@orch/store";

/** One and a half rounds, so that one failed round loses nothing. */
const TTL_SECONDS = 15;
/** Bounds each store call, so that a store that is away delays neither a round nor a shutdown. */
const CALL_TIMEOUT_MS = 5000;

export class ReplicaLeases {
  private lease: LeaseId | undefined;

  /**
   * @param name of the key: the address at which clients reach this replica
   * @param of folder of the keys, and the value of this replica's key
   */
  constructor(
    private readonly store: Store,
    private readonly prefix: string,
    private readonly name: string,
    private readonly of: { readonly folder: string; readonly value: object } = {
      folder: "masterleases",
      value: { address: name },
    },
  ) {}

  /** Renews the lease of this replica for `TTL_SECONDS`. The next call completes what fails. @throws StoreError */
  async renew(): Promise<void> {
    if (this.lease === undefined || !(await this.keptAlive(this.lease))) {
      this.lease = await this.store.grantLease(TTL_SECONDS, { timeoutMs: CALL_TIMEOUT_MS });
    }
    await this.writeKey(this.lease);
  }

  /** @returns the addresses of live replicas, sorted @throws StoreError */
  async alive(): Promise<readonly string[]> {
    const { folder } = this.of;
    const start = `${this.prefix}/${folder}/`;
    const range = { start, end: `${this.prefix}/${folder}0` };
    const { items } = await this.store.range(range, { timeoutMs: CALL_TIMEOUT_MS });
    return items.map(({ key }) => key.slice(start.length)).sort();
  }

  /** Revokes the lease. @throws StoreError */
  async giveUp(): Promise<void> {
    if (this.lease === undefined) return;
    const lease = this.lease;
    this.lease = undefined;
    await this.store.revokeLease(lease, { timeoutMs: CALL_TIMEOUT_MS });
  }

  private get key(): string {
    return `${this.prefix}/${this.of.folder}/${this.name}`;
  }

  /** Writes the key when it is missing or has another lease: that of a former process, or of a restored store. */
  private async writeKey(lease: LeaseId): Promise<void> {
    const { key } = this;
    const { items } = await this.store.range({ start: key }, { timeoutMs: CALL_TIMEOUT_MS });
    const [found] = items;
    if (found?.lease === lease) return;
    const value = Buffer.from(JSON.stringify(this.of.value));
    await this.store.txn({ compare: [], then: [{ kind: "put", key, value, lease }] }, { timeoutMs: CALL_TIMEOUT_MS });
  }

  private async keptAlive(lease: LeaseId): Promise<boolean> {
    try {
      if ((await this.store.keepLeaseAlive(lease, { timeoutMs: CALL_TIMEOUT_MS })) > 0) return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "leaseNotFound") throw error;
    }
    return false;
  }
}
