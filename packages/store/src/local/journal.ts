// What a local store writes its commits to, when it has a disk.

import type { LeaseId, Revision, StoreError, StoreEvent } from "../contract";
import type { Commit, Forgotten } from "./version-index";

export interface Journal {
  /** Whether it takes no more than what gives room back, by its last look at the disk. */
  readonly isFull: boolean;
  /** What to tell those who are refused. */
  fullError(): StoreError;
  /** Looks at the disk now. Never rejects. */
  look(): Promise<void>;
  /**
   * All of them or none, on the disk when it resolves.
   * @throws StoreError full, internal; unknownOutcome where it cannot be told whether they are on the disk
   */
  append(commits: readonly Commit[]): Promise<void>;
  /** What is compacted is on the disk when it resolves; room is given back afterwards. One call at a time. */
  compact(compaction: JournalCompaction): Promise<void>;
  /** Told once, after it was read: what in it is superfluous already. */
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
  readonly alarms: readonly string[];
}

/** What a journal holds when it is opened. */
export interface JournalContent {
  readonly compacted: Revision;
  /** @see VersionIndex.restore */
  readonly commits: Iterable<Commit>;
  readonly leases: Iterable<{ readonly id: LeaseId; readonly ttlSeconds: number }>;
}
