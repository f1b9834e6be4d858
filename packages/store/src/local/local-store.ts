// The store of one process: the multi-version index, its watches and leases, and a journal if it is durable.

import {
  type CallOptions,
  type KeyValue,
  type LeaseId,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreEndpoint,
  StoreError,
  type StoreStatus,
  type StoreWatch,
  type TxnRequest,
  type TxnResult,
  type WatchHandlers,
  type WatchRequest,
} from "../contract/contract";
import { checkLimits } from "../contract/request-limits";
import { backupPieces } from "../journal-format/backup-pieces";
import { Interval } from "../mvcc/key-range";
import { type Commit, type Forgotten, VersionIndex } from "../mvcc/version-index";
import { GroupCommit } from "./group-commit";
import type { Journal, JournalContent } from "./journal";
import { LeaseTable, leaseNotFound } from "./lease-table";
import { LocalWatch } from "./local-watch";

/** Delay after which a lease whose end could not be written expires again. */
const LEASE_RETRY_SECONDS = 5;
/** Number of keys that a backup examines in one turn of the event loop. */
const TURN_KEYS = 5000;

/** A local store. Values are shared with callers without a copy: neither side changes them afterwards. */
export class LocalStore implements Store {
  private readonly index = new VersionIndex();
  private readonly watches = new Set<LocalWatch>();
  private readonly leases = new LeaseTable((lease) => this.endLease(lease).catch(() => {}));
  private readonly journal: Journal | undefined;
  private readonly commits: GroupCommit | undefined;
  /** Serializes compactions, and excludes them while a backup collects its items. */
  private compaction: Promise<unknown> = Promise.resolve();
  private delivering = false;
  private closed = false;

  /** @param durable the journal with its content; without it the store ends with the process */
  constructor(durable?: { readonly journal: Journal; readonly content: JournalContent }) {
    if (durable === undefined) return;
    this.journal = durable.journal;
    this.commits = new GroupCommit(durable.journal, {
      durable: (revision) => this.show(revision),
      failed: () => this.index.rollBack(),
    });
    this.restore(durable.content);
  }

  async range(request: RangeRequest, options?: CallOptions): Promise<RangeResult> {
    this.admit(options);
    return this.index.range(request);
  }

  async txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult> {
    this.admit(options);
    checkLimits(request);
    if (this.journal?.isFull === true && addsSomething(request)) await this.refuseIfFull(this.journal);
    this.checkLeases(request);
    const { result, commit } = this.index.txn(request);
    if (commit === undefined) {
      // The answer may depend on a write that is not on the disk yet.
      if (this.index.visible < this.index.head) await this.commits?.settled();
      return result;
    }
    for (const event of commit.events) {
      if (event.kind === "put" && event.item.lease !== 0) this.leases.attach(event.item.lease, event.item.key);
    }
    await this.commit(commit);
    return result;
  }

  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch {
    const revision = request.fromRevision || this.index.visible + 1;
    const watch = new LocalWatch({ interval: new Interval(request), revision }, handlers, (ended) =>
      this.watches.delete(ended),
    );
    if (this.closed) {
      watch.end(closedError());
      return watch;
    }
    this.watches.add(watch);
    this.deliverSoon();
    return watch;
  }

  async compact(revision: Revision, options?: CallOptions): Promise<void> {
    this.admit(options);
    const compacted = this.compaction.then(() => this.compactTo(revision));
    this.compaction = compacted.catch(() => {});
    await compacted;
  }

  async grantLease(ttlSeconds: number, options?: CallOptions): Promise<LeaseId> {
    this.admit(options);
    const id = 1 + Math.floor(Math.random() * (Number.MAX_SAFE_INTEGER - 1));
    await this.journal?.saveLease(id, ttlSeconds);
    this.leases.grant(id, ttlSeconds);
    return id;
  }

  async keepLeaseAlive(lease: LeaseId, options?: CallOptions): Promise<number> {
    this.admit(options);
    return this.leases.keepAlive(lease);
  }

  async revokeLease(lease: LeaseId, options?: CallOptions): Promise<void> {
    this.admit(options);
    await this.endLease(lease);
  }

  get endpoints(): readonly StoreEndpoint[] {
    return [this];
  }

  async status(options?: CallOptions): Promise<StoreStatus> {
    this.admit(options);
    const ofJournal = (await this.journal?.status()) ?? { size: this.index.bytes, alarms: [] };
    return { revision: this.index.visible, ...ofJournal };
  }

  /**
   * See Store. The items stay in memory until they are sent, however long that takes: at most the present content of
   * the store.
   */
  async *backup({ signal }: CallOptions = {}): AsyncIterable<Buffer> {
    this.admit(signal && { signal });
    const looking = this.compaction.then(() => this.stateNow());
    this.compaction = looking.catch(() => {});
    const { revision, items } = await looking;
    yield* backupPieces({ revision, leases: this.leases.granted(), items });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.leases.stop();
    for (const watch of [...this.watches]) watch.end(closedError());
    await this.commits?.settled().catch(() => {});
    await this.journal?.close();
    await this.compaction;
  }

  private admit(options: CallOptions | undefined): void {
    if (this.closed) throw closedError();
    if (options?.signal?.aborted === true) throw new StoreError("cancelled", "canceled by the caller before the call");
  }

  /** Rejects a write if the disk is full. Deletions and compactions are never rejected, because they free space. */
  private async refuseIfFull(journal: Journal): Promise<void> {
    await journal.look();
    if (this.closed) throw closedError();
    if (journal.isFull) throw journal.fullError();
  }

  private async compactTo(revision: Revision): Promise<void> {
    if (this.closed) throw closedError();
    const forgotten: Forgotten[] = [];
    for (const some of this.index.compact(revision)) {
      forgotten.push(...some);
      await new Promise(setImmediate);
      if (this.closed) throw closedError();
    }
    await this.journal?.compact({ revision, forgotten, isKept: (event) => this.index.keeps(event) });
  }

  /** Collects everything at one revision, in several turns of the event loop. */
  private async stateNow(): Promise<{ readonly revision: Revision; readonly items: readonly KeyValue[] }> {
    const revision = this.index.visible;
    const items: KeyValue[] = [];
    for (let from: string | undefined = ""; from !== undefined; ) {
      if (this.closed) throw closedError();
      const part = this.index.stateAt(revision, { from, max: TURN_KEYS });
      for (const item of part.items) items.push(item);
      from = part.next;
      await new Promise(setImmediate);
    }
    return { revision, items };
  }

  private checkLeases({ compare, then, else: otherwise = [] }: TxnRequest): void {
    for (const operation of compare.length === 0 ? then : [...then, ...otherwise]) {
      if (operation.kind === "put" && operation.lease !== undefined && operation.lease !== 0) {
        if (!this.leases.has(operation.lease)) throw leaseNotFound(operation.lease);
      }
    }
  }

  /** Deletes the attached keys in one revision. The lease is removed from the disk only after that. */
  private async endLease(lease: LeaseId): Promise<void> {
    const attached = this.leases.end(lease);
    const keys = attached.filter((key) => this.index.live(key)?.lease === lease).sort();
    const { commit } = this.index.txn({
      compare: [],
      then: keys.map((key) => ({ kind: "delete", start: key })),
    });
    try {
      if (commit !== undefined) await this.commit(commit);
      await this.journal?.dropLease(lease);
    } catch (error) {
      // The lease continues, for another attempt.
      this.leases.grant(lease, LEASE_RETRY_SECONDS);
      for (const key of attached) this.leases.attach(lease, key);
      throw error;
    }
  }

  private async commit(commit: Commit): Promise<void> {
    if (this.commits === undefined) this.show(commit.revision);
    else await this.commits.add(commit);
  }

  private restore(content: JournalContent): void {
    this.journal?.forget(this.index.restore(content.commits, { compacted: content.compacted }));
    for (const { id, ttlSeconds } of content.leases) this.leases.grant(id, ttlSeconds);
    for (const { key, lease } of this.index.leased()) if (this.leases.has(lease)) this.leases.attach(lease, key);
  }

  private show(revision: Revision): void {
    this.index.show(revision);
    if (this.watches.size > 0) this.deliverSoon();
  }

  private deliverSoon(): void {
    if (this.delivering) return;
    this.delivering = true;
    queueMicrotask(() => this.deliver());
  }

  private deliver(): void {
    this.delivering = false;
    let more = false;
    for (const watch of this.watches) more = watch.deliver(this.index) || more;
    if (!more || this.delivering) return;
    this.delivering = true;
    setImmediate(() => this.deliver());
  }
}

const addsSomething = ({ then, else: otherwise = [] }: TxnRequest): boolean =>
  then.some(({ kind }) => kind === "put") || otherwise.some(({ kind }) => kind === "put");

const closedError = () => new StoreError("closed", "the store is closed");
