// What a local store writes its commits to, when it has a disk.

import type { LeaseId, Revision } from "../contract";
import type { Commit, Forgotten } from "./version-index";

export interface Journal {
  /**
   * All of them or none, on the disk when it resolves. One call at a time.
   * @throws StoreError full, or internal
   */
  append(commits: readonly Commit[]): Promise<void>;
  /** On the disk when it resolves. */
  compact(revision: Revision, forgotten: readonly Forgotten[]): Promise<void>;
  saveLease(id: LeaseId, ttlSeconds: number): Promise<void>;
  dropLease(id: LeaseId): Promise<void>;
  /** Bytes on disk. */
  size(): number;
  close(): Promise<void>;
}

/** What a journal holds when it is opened. */
export interface JournalContent {
  readonly compacted: Revision;
  readonly commits: Iterable<Commit>;
  readonly leases: Iterable<{ readonly id: LeaseId; readonly ttlSeconds: number }>;
}
