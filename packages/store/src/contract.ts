// The contract of every store: etcd v3's model and nothing more. Keys are UTF-8 strings ordered by their bytes; a revision counts
// the writes of the whole store; every write of one transaction has the same revision. Source: architecture, "Store".
import type { EndSignal, OutsideReason } from "@orch/platform";

/** A store revision. Checked on the way in: below 2^53. 0 stands for "now" in requests. */
export type Revision = number;

export interface KeyValue {
  readonly key: string;
  /** The caller owns these bytes: a driver never hands out a slice of a larger network buffer. */
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  /** Writes since creation, from 1. */
  readonly version: number;
  /** 0 without a lease. */
  readonly lease: LeaseId;
  /** Only where the store keeps values in another form than they are given in; see `Store.marksValues`. */
  readonly mark?: ValueMark;
  /**
   * Of a store that holds values in this process: tells it that a value is all there in other bytes, which it may hold in its place.
   * @param whole the value, and in it at `at` as many other bytes as `length` says; never changed afterwards
   */
  heldIn?(whole: Buffer, others: OtherBytes): void;
  /** The same the other way round: where the value is in other bytes from the beginning; see `Additions`. */
  readonly held?: HeldBytes | undefined;
}

/** Of bytes that hold a value, those that are not of it. */
export interface OtherBytes {
  readonly at: number;
  readonly length: number;
}

/** Bytes that hold a value, and others. */
export interface HeldBytes extends OtherBytes {
  readonly whole: Buffer;
}

/**
 * What those who read the store will add to a value that lies on the disk: one that is read with it takes memory once.
 * @returns what to add, in ASCII, and where; undefined: nothing
 */
export type Additions = (
  value: Buffer,
  revision: Revision,
) => { readonly at: number; readonly text: string } | undefined;

/** What is wrong with the form in which a value lies in the store. */
export type ValueMark =
  /** It would be put in another form now, such as under another key: any write of the same value puts it right. */
  | { readonly kind: "stale" }
  /** Nothing here can read it: `value` is what lies there. `why` says nothing of what is in it. */
  | { readonly kind: "unreadable"; readonly why: string };

export type LeaseId = number;

/** Keys from `start` (included) to `end` (excluded). `end` "\0" means to the end of the key space; absent means the one key `start`. */
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

/** That the event is of. */
export const revisionOf = (event: StoreEvent): Revision =>
  event.kind === "put" ? event.item.modRevision : event.modRevision;

/** All events of one or more whole revisions, in order: a revision is never split over two batches. */
export interface WatchBatch {
  /** The revision of the last event in the batch. */
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
}

export interface WatchRequest extends KeyRange {
  /** The first revision wanted; absent: after now. */
  readonly fromRevision?: Revision;
}

export interface WatchHandlers {
  /** The watch is in place from this revision on. Called once per (re)connection. */
  started?(revision: Revision): void;
  batch(batch: WatchBatch): void;
  /** The connection is lost; the driver resumes by itself from the last event's revision + 1. */
  interrupted?(error: StoreError): void;
  /** The watch is over: `closed` by the caller, or an error that resuming cannot heal (compacted, restored, closed store). Called once, last. */
  ended(reason: StoreError | "closed"): void;
}

export interface StoreWatch {
  close(): void;
}

export interface StoreStatus {
  readonly revision: Revision;
  /** Bytes on disk or in memory. */
  readonly size: number;
  /** What is wrong at the moment; empty when well. NOSPACE: writes are refused; CORRUPT: the disk does not hold what was written. */
  readonly alarms: readonly string[];
}

/** One place at which the store is reached, asked by itself: of a cluster, any may be down while the others serve. */
export interface StoreEndpoint {
  /** `https://host:port`; none of a store inside the process. */
  readonly url?: string;
  status(options?: CallOptions): Promise<StoreStatus>;
}

export interface Store {
  /** At least one, in the order in which they were given. */
  readonly endpoints: readonly StoreEndpoint[];
  /** Values may be marked. A mark is as of the read: another key may come into use while nothing is written. Absent: none ever is. */
  readonly marksValues?: true;
  range(request: RangeRequest, options?: CallOptions): Promise<RangeResult>;
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult>;
  watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch;
  /** Forgets revisions before `revision`, keeping what is live at it. */
  compact(revision: Revision, options?: CallOptions): Promise<void>;
  grantLease(ttlSeconds: number, options?: CallOptions): Promise<LeaseId>;
  /** @returns the seconds left, 0 when the lease is gone */
  keepLeaseAlive(lease: LeaseId, options?: CallOptions): Promise<number>;
  revokeLease(lease: LeaseId, options?: CallOptions): Promise<void>;
  status(options?: CallOptions): Promise<StoreStatus>;
  /**
   * Everything as it is at one revision, in a form that `restoreBackup` reads. Made as it is read. Absent where the store has a tool of its own
   * for that.
   */
  backup?(options?: CallOptions): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: EndSignal | undefined;
  /** Bound of the call; past it the outcome of a write is unknown. */
  readonly timeoutMs?: number;
}

/**
 * What went wrong, as a closed union:
 * - compacted: the revision is older than the history kept (`compactRevision` names the oldest that is whole)
 * - futureRevision: the revision does not exist yet
 * - unavailable: not reached, or no leader; the request was not executed
 * - unknownOutcome: sent, but no answer: a write may or may not have happened
 * - tooLarge: a value or request beyond what the store takes
 * - full: the store refuses writes (quota, alarm)
 * - restored: the store holds another history than the one that was seen, such as that of a backup; nothing was executed, and all that is
 *   known of revisions is void
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

export class StoreError extends Error implements OutsideReason {
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
