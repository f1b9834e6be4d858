// Files that are read again when they change, however they are replaced: rewritten, renamed over, or linked elsewhere.
import { unwatchFile, watchFile } from "node:fs";

const LOOK_EVERY_MS = 2000;

/**
 * Calls back whenever the contents of any of the files have changed.
 * @returns stops watching
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  const listener = (
    now: { mtimeMs: number; ino: number; size: number },
    before: { mtimeMs: number; ino: number; size: number },
  ) => {
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) changed();
  };
  for (const path of paths) watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, listener);
  return () => {
    for (const path of paths) unwatchFile(path, listener);
  };
}
