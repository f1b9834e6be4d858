// Which replicas are alive: a key each, that the store forgets unless its replica renews it. Source: facts, apiserver-hooks.md
// "Service default/orch and its endpoints".
import { type LeaseId, type Store, StoreError } from "@orch/store";

/** Longer than a round by half, so that one that fails loses nothing. */
const TTL_SECONDS = 15;
/** A store that is away must hold up neither a round nor a shutdown. */
const CALL_TIMEOUT_MS = 5000;

export class ReplicaLeases {
  private lease: LeaseId | undefined;

  /** @param address under which clients find this replica; its key's name */
  constructor(
    private readonly store: Store,
    private readonly prefix: string,
    private readonly address: string,
  ) {}

  /** Says that this replica is alive, until `TTL_SECONDS` from now. What fails of it is done by the next call. @throws StoreError */
  async renew(): Promise<void> {
    if (this.lease === undefined || !(await this.keptAlive(this.lease))) {
      this.lease = await this.store.grantLease(TTL_SECONDS, { timeoutMs: CALL_TIMEOUT_MS });
    }
    await this.writeKey(this.lease);
  }

  /** @returns the addresses of those that are alive, sorted @throws StoreError */
  async alive(): Promise<readonly string[]> {
    const start = `${this.prefix}/masterleases/`;
    const { items } = await this.store.range(
      { start, end: `${this.prefix}/masterleases0` },
      { timeoutMs: CALL_TIMEOUT_MS },
    );
    return items.map(({ key }) => key.slice(start.length)).sort();
  }

  /** @throws StoreError */
  async giveUp(): Promise<void> {
    if (this.lease === undefined) return;
    const lease = this.lease;
    this.lease = undefined;
    await this.store.revokeLease(lease, { timeoutMs: CALL_TIMEOUT_MS });
  }

  private get key(): string {
    return `${this.prefix}/masterleases/${this.address}`;
  }

  /** Where the key is not there, or hangs on another lease: that of a former life, or of a state that the store has been brought back to. */
  private async writeKey(lease: LeaseId): Promise<void> {
    const { key } = this;
    const { items } = await this.store.range({ start: key }, { timeoutMs: CALL_TIMEOUT_MS });
    const [found] = items;
    if (found?.lease === lease) return;
    const value = Buffer.from(JSON.stringify({ address: this.address }));
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
