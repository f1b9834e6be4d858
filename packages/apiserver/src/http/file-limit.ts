// How many files the process may have open, connections among them.
import { readFileSync } from "node:fs";

/** @returns undefined where the system does not tell, or sets no limit */
export function openFilesMax(): number | undefined {
  try {
    const [, limit = ""] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return /^\d+$/.test(limit) ? Number(limit) : undefined;
  } catch {
    return undefined;
  }
}

/** For the store's connections, for files, for those that lead out of the server: a tenth, and no fewer than these. */
const KEPT_MIN = 100;
/** Where nothing else is said: each takes some 50 KiB. */
const DEFAULT_MAX = 10_000;

/**
 * @param wanted by the operator; 0: nothing is said
 * @returns how many connections there may be at once
 */
export function connectionsMax(wanted: number, filesMax: number | undefined): number {
  const most = wanted || DEFAULT_MAX;
  if (filesMax === undefined) return most;
  return Math.max(1, Math.min(most, filesMax - Math.max(KEPT_MIN, Math.ceil(filesMax / 10))));
}
