import { commitFrame } from "../journal-format/commit-record";
import type { Commit } from "../mvcc/version-index";

/** Returns the bytes of a commit in the journal, without its frame. */
export function recordBytes(commit: Commit): Buffer {
  const { length, write } = commitFrame(commit);
  const bytes = Buffer.alloc(length);
  write(bytes, 0);
  return bytes;
}
