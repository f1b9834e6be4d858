// The record that replicas share about backups, in the store: the outcome of the last attempt, and the lock of the replica that
// makes one. Both keys lie outside the prefix of the objects.
//
//   backup_state/registry   JSON, see BackupRecord         written by the holder of the lock, in a transaction that
//                                                          requires the lock
//   backup_lock/registry    name of the holder             attached to a lease, which ends with the holder
import type { Clock } from "@orch/platform";
import type { LeaseId, Revision, Store } from "@orch/store";

export interface BackupRecord {
  /** Time at which the last successful backup began, in milliseconds since the epoch. Absent: there is none. */
  readonly succeededMs?: number;
  readonly bytes?: number;
  readonly seconds?: number;
  /** Places of the last successful backup. */
  readonly places?: readonly string[];
  /** Number of failures since the last success. */
  readonly failures: number;
  /** Time of the next attempt after a failure. */
  readonly retryMs?: number;
  /** Replica that made the last attempt. */
  readonly by?: string;
  readonly error?: string;
}

export interface RecordAt {
  readonly record: BackupRecord;
  /** 0: there is no record. */
  readonly revision: Revision;
  /** Holder of the lock; undefined when it is free. */
  readonly holder: string | undefined;
}

export interface RecordParts {
  readonly store: Pick<Store, "txn" | "range" | "grantLease" | "keepLeaseAlive" | "revokeLease">;
  readonly clock: Clock;
  /** Prefix of the objects, which tells clusters in one etcd apart. */
  readonly prefix: string;
  /** Name of this replica. */
  readonly self: string;
}

/** Seconds after which another replica may take over from one that has died. */
const LEASE_SECONDS = 15;
const RENEW_MS = 4_000;
const CALL_MS = 10_000;
const TEXT_MAX = 1_000;

export class SharedRecord {
  private readonly stateKey: string;
  private readonly lockKey: string;

  constructor(private readonly parts: RecordParts) {
    this.stateKey = `backup_state${parts.prefix}`;
    this.lockKey = `backup_lock${parts.prefix}`;
  }

  /** @throws StoreError */
  async read(): Promise<RecordAt> {
    const result = await this.parts.store.txn(
      {
        compare: [],
        then: [
          { kind: "range", start: this.stateKey },
          { kind: "range", start: this.lockKey },
        ],
      },
      { timeoutMs: CALL_MS },
    );
    const [state, lock] = result.results.map((each) => (each.kind === "range" ? each.items[0] : undefined));
    return {
      record: recordIn(state?.value),
      revision: state?.modRevision ?? 0,
      holder: lock?.value.toString().slice(0, TEXT_MAX),
    };
  }

  /**
   * Takes the lock, unless another replica holds it or has changed the record meanwhile.
   * @throws StoreError
   */
  async take({ revision }: Pick<RecordAt, "revision">): Promise<HeldLock | undefined> {
    const { store, clock, self } = this.parts;
    const lease = await store.grantLease(LEASE_SECONDS, { timeoutMs: CALL_MS });
    const result = await store.txn(
      {
        compare: [
          { key: this.lockKey, target: "version", is: "=", version: 0 },
          { key: this.stateKey, target: "modRevision", is: "=", revision },
        ],
        then: [{ kind: "put", key: this.lockKey, value: Buffer.from(self), lease }],
      },
      { timeoutMs: CALL_MS },
    );
    if (result.succeeded) {
      const keys = { lock: this.lockKey, state: this.stateKey };
      return new HeldLock({ store, clock }, { lease, keys, revision: result.revision });
    }
    await store.revokeLease(lease, { timeoutMs: CALL_MS }).catch(() => {});
    return undefined;
  }
}

/** A lock that is renewed until it is released or lost. */
export class HeldLock {
  private readonly gone = new AbortController();
  private cancel = (): void => {};
  private renewedAt: number;
  private isStopped = false;

  constructor(
    private readonly parts: Pick<RecordParts, "store" | "clock">,
    private readonly of: {
      readonly lease: LeaseId;
      readonly keys: { readonly lock: string; readonly state: string };
      /** Revision at which the lock was taken. */
      readonly revision: Revision;
    },
  ) {
    this.renewedAt = parts.clock.elapsed();
    this.renewLater();
  }

  /** Aborted when the lock may be lost. */
  get lost(): AbortSignal {
    return this.gone.signal;
  }

  /** Writes the record and releases the lock. @returns false when the lock was lost @throws StoreError */
  async end(record: BackupRecord): Promise<boolean> {
    this.stop();
    const { lease, keys, revision } = this.of;
    const result = await this.parts.store.txn(
      {
        compare: [{ key: keys.lock, target: "createRevision", is: "=", revision }],
        then: [
          { kind: "put", key: keys.state, value: Buffer.from(JSON.stringify(record)) },
          { kind: "delete", start: keys.lock },
        ],
      },
      { timeoutMs: CALL_MS },
    );
    await this.parts.store.revokeLease(lease, { timeoutMs: CALL_MS }).catch(() => {});
    return result.succeeded;
  }

  /** Releases the lock without a record. */
  async release(): Promise<void> {
    this.stop();
    await this.parts.store.revokeLease(this.of.lease, { timeoutMs: CALL_MS }).catch(() => {});
  }

  private stop(): void {
    this.isStopped = true;
    this.cancel();
  }

  private renewLater(): void {
    if (this.isStopped) return;
    this.cancel = this.parts.clock.after(RENEW_MS, () => void this.renew(), { background: true });
  }

  private async renew(): Promise<void> {
    const { store, clock } = this.parts;
    let isGone = false;
    try {
      if ((await store.keepLeaseAlive(this.of.lease, { timeoutMs: RENEW_MS })) > 0) this.renewedAt = clock.elapsed();
      else isGone = true;
    } catch {
      isGone = clock.elapsed() - this.renewedAt > (LEASE_SECONDS * 1000) / 2;
    }
    if (isGone && !this.isStopped)
      this.gone.abort(new Error("the lock of backups was lost: another replica may make one now"));
    else this.renewLater();
  }
}

function recordIn(value: Buffer | undefined): BackupRecord {
  const none: BackupRecord = { failures: 0 };
  if (value === undefined) return none;
  try {
    const found = JSON.parse(value.toString()) as Partial<BackupRecord> | null;
    if (typeof found !== "object" || found === null) return none;
    const { succeededMs, retryMs, failures, bytes, seconds } = found;
    // Another release, or another program, may have written anything.
    return {
      ...(isNumber(succeededMs) && { succeededMs }),
      ...(isNumber(retryMs) && { retryMs }),
      ...(isNumber(bytes) && { bytes }),
      ...(isNumber(seconds) && { seconds }),
      failures: isNumber(failures) && failures >= 0 ? failures : 0,
    };
  } catch {
    return none;
  }
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
