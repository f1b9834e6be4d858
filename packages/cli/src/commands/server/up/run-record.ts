// Record of a server that `orch up` runs, in its data directory: the process, and how clients reach it. The record of a
// process that was killed stays, and is recognized by the start time of the process.
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@orch/platform";
import type { VocabularyName } from "@orch/schema";

export interface RunRecord {
  readonly pid: number;
  /** Start of the process in the unit of the operating system; "" where it is not known. */
  readonly started: string;
  readonly vocabulary: VocabularyName;
  /** How clients reach the server; absent until it is ready. */
  readonly ready?: ReadyRecord;
}

export interface ReadyRecord {
  readonly url: string;
  readonly notes: readonly string[];
  readonly tries: readonly string[];
}

const NAME = "up.json";
/** Log of a server in the background. */
export const LOG_NAME = "up.log";

/** Returns the record of a running server. @returns undefined when none runs in this directory */
export function runningIn(dataDir: string): RunRecord | undefined {
  const record = recordIn(dataDir);
  return record !== undefined && isAlive(record) ? record : undefined;
}

/**
 * Claims the directory for a process, before it starts its server.
 * @returns the record of the server that has the directory already
 */
export function claimFor(
  dataDir: string,
  { pid, vocabulary }: Pick<RunRecord, "pid" | "vocabulary">,
): RunRecord | undefined {
  makeFolder(dataDir, 0o700);
  const path = join(dataDir, NAME);
  const draft = draftOf(path, { pid, started: startOf(pid), vocabulary });
  try {
    for (;;) {
      try {
        linkSync(draft, path);
        return undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const running = runningIn(dataDir);
      if (running !== undefined) return running;
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Adds how clients reach the server. */
export function recordReady(dataDir: string, pid: number, ready: ReadyRecord): void {
  const record = recordIn(dataDir);
  if (record?.pid !== pid) return;
  const path = join(dataDir, NAME);
  renameSync(draftOf(path, { ...record, ready }), path);
}

/** Removes the record of this process. */
export function dropRecord(dataDir: string, pid: number): void {
  if (recordIn(dataDir)?.pid === pid) rmSync(join(dataDir, NAME), { force: true });
}

/** Tells whether the process of a record still runs; another process may have been given its number. */
export function isAlive({ pid, started }: RunRecord): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return started === startOf(pid);
}

function recordIn(dataDir: string): RunRecord | undefined {
  try {
    const { pid, ...rest } = JSON.parse(readFileSync(join(dataDir, NAME), "utf8")) as RunRecord;
    return Number.isInteger(pid) && pid > 0 ? { pid, ...rest } : undefined;
  } catch {
    return undefined;
  }
}

function draftOf(path: string, record: RunRecord): string {
  const draft = `${path}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  return draft;
}

/** Place of the start time among the fields after the name of the program. Source: proc_pid_stat(5). */
const START_FIELD = 19;

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, and its parent has not yet asked how.
    return fields[0] === "Z" ? "ended" : (fields[START_FIELD] ?? "");
  } catch {
    return "";
  }
}
