// A place that keeps backups under names: a folder or a bucket.
import type { CheckedBackup } from "../content/content-check";

export interface BackupTarget {
  /** Place of a backup, for messages. */
  placeOf(name: string): string;
  /**
   * Stores a backup, which appears when it is whole, and reads it again.
   * @throws BackupError; the backup then does not appear
   */
  write(name: string, pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<CheckedBackup>;
  /** @throws BackupError */
  read(name: string, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Returns the names of all entries, whoever wrote them. @throws BackupError */
  names(signal: AbortSignal): Promise<readonly string[]>;
  /** @throws BackupError */
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Removes what processes that were killed have left. */
  removePartial(nowMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
}
