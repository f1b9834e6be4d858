// Files that are read again when they change, however they are replaced: rewritten, renamed over, or linked elsewhere.
import { type Stats, statSync, unwatchFile, watchFile } from "node:fs";

const LOOK_EVERY_MS = 2000;
/** The watch takes what it finds at its first look for what there was, and looks a moment after it was asked to. */
const FIRST_LOOK_MS = 500;

/**
 * Calls back whenever the contents of any of the files have changed.
 * @returns stops watching
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  const listener = (now: Seen, before: Seen) => {
    if (isOther(now, before)) changed();
  };
  const before = paths.map(seen);
  for (const path of paths) watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  const first = setTimeout(() => {
    if (paths.some((path, index) => isOther(seen(path), before[index] as Seen))) changed();
  }, FIRST_LOOK_MS).unref();
  return () => {
    clearTimeout(first);
    for (const path of paths) unwatchFile(path, listener);
  };
}

type Seen = Pick<Stats, "mtimeMs" | "ino" | "size">;

const isOther = (one: Seen, other: Seen): boolean =>
  one.mtimeMs !== other.mtimeMs || one.ino !== other.ino || one.size !== other.size;

const NOTHING: Seen = { mtimeMs: 0, ino: 0, size: 0 };

function seen(path: string): Seen {
  try {
    return statSync(path);
  } catch {
    return NOTHING;
  }
}
