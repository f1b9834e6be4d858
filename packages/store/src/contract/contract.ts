// The contract of every store: the model of etcd v3, without its further features. Keys are UTF-8 strings ordered by
// their bytes. A revision counts the writes of the whole store; every write of one transaction has the same revision.
// Source: etcd documentation, "Data model" and "KV API guarantees"; docs/architecture.md, "Store contract".
import type { EndSignal, ExternalError } from "@orch/platform";

/** A store revision. Checked when it is received: below 2^53. 0 stands for "now" in requests. */
export type Revision = number;

export interface KeyValue {
  readonly key: string;
  /** The caller owns these bytes: a driver never returns a slice of a larger network buffer. */
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** Number of writes since creation, from 1. */
  readonly version: number;
  /** 0 without a lease. */
  readonly lease: LeaseId;
  /** Set only by stores that keep values in another form than the given one; see `Store.marksValues`. */
  readonly mark?: ValueMark;
  /**
   * Tells a store that holds values in this process that other bytes contain the whole value. The store may hold those
   * bytes instead.
   * @param whole the value with `length` other bytes inserted at `at`; never changed afterwards
   */
  heldIn?(whole: Buffer, others: OtherBytes): void;
  /** Set when the value was read into such bytes from the beginning; see `Additions`. */
  readonly held?: HeldBytes | undefined;
}

/** The inserted part of bytes that hold a value. */
export interface OtherBytes {
  readonly at: number;
  readonly length: number;
}

/** Bytes that hold a value and an inserted part. */
export interface HeldBytes extends OtherBytes {
  readonly whole: Buffer;
}

/**
 * Computes what readers of the store will insert into a value on disk. Reading the value with the insertion takes its
 * memory only once.
 * @returns the inserted ASCII text and its position; undefined: nothing
 */
export type Additions = (
  value: Buffer,
  revision: Revision,
) => { readonly at: number; readonly text: string } | undefined;

/** Deficiency of the form in which the store holds a value. */
export type ValueMark =
  /**
   * The value would be written in another form now, such as with another encryption key. Any write of the same value
   * converts it.
   */
  | { readonly kind: "stale" }
  /** The value cannot be read, and `value` holds the stored bytes. `why` contains nothing of the content. */
  | { readonly kind: "unreadable"; readonly why: string };

export type LeaseId = number;

/**
 * Keys from `start` (included) to `end` (excluded). `end` "\0": to the end of the keys; absent: the one key `start`.
 */
export interface KeyRange {
  readonly start: string;
  readonly end?: string;
}

export interface RangeRequest extends KeyRange {
  /** Absent or 0: the newest, by a linearizable read. */
  readonly revision?: Revision;
  readonly limit?: number;
  readonly keysOnly?: boolean;
}

export interface RangeResult {
  /** The store's revision when the read was served. */
  readonly revision: Revision;
  readonly items: readonly KeyValue[];
  /** Keys in the range, whatever the limit. */
  readonly count: number;
  readonly more: boolean;
}

export type Compare =
  | {
      readonly key: string;
      readonly target: "modRevision" | "createRevision";
      readonly is: "=" | ">" | "<" | "!=";
      readonly revision: Revision;
    }
  | { readonly key: string; readonly target: "version"; readonly is: "=" | ">" | "<" | "!="; readonly version: number };

export type Operation =
  | { readonly kind: "put"; readonly key: string; readonly value: Buffer; readonly lease?: LeaseId }
  | ({ readonly kind: "delete" } & KeyRange)
  | ({ readonly kind: "range" } & RangeRequest);

export interface TxnRequest {
  /** All must hold for `then` to run; none means `then`. */
  readonly compare: readonly Compare[];
  readonly then: readonly Operation[];
  readonly else?: readonly Operation[];
}

export type OperationResult =
  | { readonly kind: "put" }
  | { readonly kind: "delete"; readonly deleted: number }
  | ({ readonly kind: "range" } & RangeResult);

export interface TxnResult {
  readonly succeeded: boolean;
  /** The store's revision after the transaction: that of its writes, when it wrote. */
  readonly revision: Revision;
  readonly results: readonly OperationResult[];
}

export type StoreEvent =
  | { readonly kind: "put"; readonly item: KeyValue }
  | { readonly kind: "delete"; readonly key: string; readonly modRevision: Revision };

/** Returns the revision of an event. */
export const revisionOf = (event: StoreEvent): Revision =>
  event.kind === "put" ? event.item.modRevision : event.modRevision;

/** All events of one or more whole revisions, in order: a revision is never split over two batches. */
export interface WatchBatch {
  /** The revision of the last event in the batch. */
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
}

export interface WatchRequest extends KeyRange {
  /** The first revision wanted; absent: only changes from now on. */
  readonly fromRevision?: Revision;
}

export interface WatchHandlers {
  /** The watch is established from this revision on. Called once per (re)connection. */
  started?(revision: Revision): void;
  batch(batch: WatchBatch): void;
  /** The connection is lost. The driver resumes from the last event's revision + 1 without further action. */
  interrupted?(error: StoreError): void;
  /**
   * The watch has ended: `closed` by the caller, or by an error that resuming cannot resolve (compacted, restored,
   * closed store). Called once, last.
   */
  ended(reason: StoreError | "closed"): void;
}

export interface StoreWatch {
  close(): void;
}

export interface StoreStatus {
  readonly revision: Revision;
  /** Bytes on disk or in memory. */
  readonly size: number;
  /** Bytes by which the store may still grow; absent when the store does not tell. */
  readonly available?: number;
  /**
   * Active alarms; empty when the store is healthy. NOSPACE: writes are rejected; CORRUPT: the disk does not hold what
   * was written.
   */
  readonly alarms: readonly string[];
}

/** One endpoint of the store, queried on its own: any member of a cluster may be down while the others serve. */
export interface StoreEndpoint {
  /** `https://host:port`; absent for a store inside the process. */
  readonly url?: string;
  status(options?: CallOptions): Promise<StoreStatus>;
}

export interface Store {
  /** At least one, in the configured order. */
  readonly endpoints: readonly StoreEndpoint[];
  /**
   * Set when values may be marked. A mark is valid at the time of the read: the encryption key may change without a
   * write. Absent: values are never marked.
   */
  readonly marksValues?: true;
  range(request: RangeRequest, options?: CallOptions): Promise<RangeResult>;
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult>;
  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch;
  /** Compacts the history before `revision`. The newest version of each key at that revision is kept. */
  compact(revision: Revision, options?: CallOptions): Promise<void>;
  grantLease(ttlSeconds: number, options?: CallOptions): Promise<LeaseId>;
  /** @returns the seconds left, 0 when the lease is gone */
  keepLeaseAlive(lease: LeaseId, options?: CallOptions): Promise<number>;
  revokeLease(lease: LeaseId, options?: CallOptions): Promise<void>;
  status(options?: CallOptions): Promise<StoreStatus>;
  /**
   * Streams everything at one revision, in the format that `restoreBackup` reads. Generated while it is read. Absent
   * when the store has a backup tool of its own.
   */
  backup?(options?: CallOptions): AsyncIterable<Buffer>;
  /**
   * Streams a snapshot in the format of the store's own backup tool. Generated while it is read. Absent when the store
   * has no such tool.
   */
  snapshot?(options?: CallOptions): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: EndSignal | undefined;
  /** Timeout of the call, after which the outcome of a write is unknown. */
  readonly timeoutMs?: number;
  /** Headers for a store that is a server, such as those of a trace. Names are in lower case. Absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Error codes of a store, a closed union:
 * - compacted: the revision is older than the kept history (`compactRevision` is the oldest revision that is complete)
 * - futureRevision: the revision does not exist yet
 * - unavailable: the store was not reached or has no leader; the request was not executed
 * - unknownOutcome: sent, but not answered: a write may or may not have happened
 * - tooLarge: a value or request beyond the limits of the store
 * - full: the store rejects writes (quota, alarm)
 * - restored: the store holds another history than the one seen before, such as that of a backup; nothing was executed,
 *   and known revisions are void
 * - leaseNotFound, closed, cancelled, internal
 */
export type StoreErrorCode =
  | "compacted"
  | "futureRevision"
  | "unavailable"
  | "unknownOutcome"
  | "tooLarge"
  | "full"
  | "restored"
  | "leaseNotFound"
  | "closed"
  | "cancelled"
  | "internal";

export class StoreError extends Error implements ExternalError {
  override readonly name = "StoreError";
  readonly compactRevision: Revision | undefined;
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options: ErrorOptions & { readonly compactRevision?: Revision } = {},
  ) {
    super(message, options);
    this.compactRevision = options.compactRevision;
  }

  get isOutside(): boolean {
    return this.code === "full" || this.code === "unavailable";
  }
}
