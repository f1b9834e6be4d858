import { commitFrame } from "../embedded/commit-record";
import type { Commit } from "../local/version-index";

/** Returns the bytes of a commit in the journal, without its frame. */
export function recordBytes(commit: Commit): Buffer {
  const { length, write } = commitFrame(commit);
  const bytes = Buffer.alloc(length);
  write(bytes, 0);
  return bytes;
}
