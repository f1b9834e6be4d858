// The interface to which a durable local store writes its commits.

import type { LeaseId, Revision, StoreError, StoreEvent } from "../contract/contract";
import type { Commit, Forgotten } from "../mvcc/version-index";

export interface Journal {
  /** Whether it accepts only writes that free space, according to its last check of the disk. */
  readonly isFull: boolean;
  /** Returns the error for rejected writes. */
  fullError(): StoreError;
  /** Checks the disk now. Never rejects. */
  look(): Promise<void>;
  /**
   * Appends all commits or none. They are on the disk when it resolves.
   * @throws StoreError full, internal; unknownOutcome if it is unknown whether they are on the disk
   */
  append(commits: readonly Commit[]): Promise<void>;
  /** Records a compaction. It is on the disk when it resolves; space is reclaimed afterwards. One call at a time. */
  compact(compaction: JournalCompaction): Promise<void>;
  /** Called once after the journal was read, with its superfluous records. */
  forget(forgotten: readonly Forgotten[]): void;
  saveLease(id: LeaseId, ttlSeconds: number): Promise<void>;
  dropLease(id: LeaseId): Promise<void>;
  status(): Promise<JournalStatus>;
  close(): Promise<void>;
}

export interface JournalCompaction {
  readonly revision: Revision;
  readonly forgotten: readonly Forgotten[];
  /** Whether an event at or before `revision` is still needed. */
  isKept(event: StoreEvent): boolean;
}

export interface JournalStatus {
  /** Bytes on disk. */
  readonly size: number;
  /** See StoreStatus. */
  readonly available?: number;
  /** See StoreStatus. */
  readonly alarms: readonly string[];
}

/** Content of a journal when it is opened. */
export interface JournalContent {
  readonly compacted: Revision;
  /** @see VersionIndex.restore */
  readonly commits: Iterable<Commit>;
  readonly leases: Iterable<{ readonly id: LeaseId; readonly ttlSeconds: number }>;
}
