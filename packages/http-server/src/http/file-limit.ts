// Maximum number of open files of the process, including connections.
import { readFileSync } from "node:fs";

/** @returns undefined when the limit is unknown, or there is none */
export function openFilesMax(): number | undefined {
  try {
    const [, limit = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return /^\d+$/.test(limit) ? Number(limit) : undefined;
  } catch {
    return undefined;
  }
}

/** Files reserved for the store, for files and for outgoing connections: a tenth, and at least this number. */
const KEPT_MIN = 100;
/** Default maximum: each connection takes about 50 KiB. */
const DEFAULT_MAX = 10_000;

/**
 * @param wanted option value; 0: not set
 * @returns maximum number of concurrent connections
 */
export function connectionsMax(wanted: number, filesMax: number | undefined): number {
  const most = wanted || DEFAULT_MAX;
  if (filesMax === undefined) return most;
  return Math.max(1, Math.min(most, filesMax - Math.max(KEPT_MIN, Math.ceil(filesMax / 10))));
}
