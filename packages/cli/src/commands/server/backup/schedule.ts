// `orch schedule`: takes backups at an interval, and removes old ones once a new one has been checked.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseGoDuration } from "@orch/machinery";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { addEtcdOptions, type EtcdOptions } from "../store/etcd-options";
import { backupText } from "./backup";
import { BACKUP_NAMES, takeBackup } from "./take-backup";
import { PARTIAL } from "./whole-file";

interface Options extends EtcdOptions {
  readonly every: string;
  readonly keep: string;
  readonly keepFor?: string;
  readonly once?: boolean;
}

export interface Retention {
  /** Number of files. */
  readonly keep: number;
  /** Undefined: files of any age are kept. */
  readonly keepForMs: number | undefined;
}

const HOUR_MS = 3_600_000;
/** A failed backup is tried again soon, and not only after a long interval. */
const RETRY_MAX_MS = 60_000;

export function define(command: Command, session: Session): void {
  addEtcdOptions(
    command
      .argument("<folder>", "folder of the backups")
      .option("--every <duration>", "interval", "1h")
      .option("--keep <count>", "number of backups that stay", "24")
      .option("--keep-for <duration>", "age from which backups are removed; the newest one stays (default: any age)")
      .option("--once", "take one backup, remove old ones and end, for a scheduler of the operating system"),
  ).addHelpText(
    "after",
    `
Each backup is read again before older ones are removed. A failure is told on standard error and tried again; with --once it
is the exit code.

Examples:
  orch schedule backups --every=15m --keep=96
  orch schedule backups --once --keep=30 --keep-for=720h`,
  );
  command.action(async (folder: string, options: Options) => {
    const everyMs = durationOf("--every", options.every);
    const keep = Number(options.keep);
    if (!Number.isInteger(keep) || keep < 1)
      throw new CliError(`--keep: ${JSON.stringify(options.keep)} is not a number from 1`);
    const keepForMs = options.keepFor === undefined ? undefined : durationOf("--keep-for", options.keepFor);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { every: _every, keep: _keep, keepFor: _keepFor, once, ...etcd } = options;
    const kind = etcd.endpoints === undefined ? "embedded" : "etcd";
    const work = { session, folder, etcd, kind, retention: { keep, keepForMs } } as const;
    if (once === true) return runOnce(work);
    await untilStopped(work, everyMs);
  });
}

function durationOf(option: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new CliError(`${option}: ${JSON.stringify(text)} is not a duration, such as 15m or 24h`);
}

interface Work {
  readonly session: Session;
  readonly folder: string;
  readonly etcd: EtcdOptions;
  readonly kind: keyof typeof BACKUP_NAMES;
  readonly retention: Retention;
}

async function runOnce({ session, folder, etcd, kind, retention }: Work): Promise<void> {
  const { path, found } = await takeBackup(session, folder, etcd);
  session.write(`${backupText(path, found)}\n`);
  const names = readdirSync(folder);
  for (const name of outdated(names, kind, { ...retention, nowMs: session.io.now() })) {
    rmSync(join(folder, name), { force: true });
    session.write(`${join(folder, name)}: removed\n`);
  }
  for (const name of names)
    if (name.includes(PARTIAL) && isOld(join(folder, name), session.io.now()))
      rmSync(join(folder, name), { force: true });
}

/** Tells whether a partial file is so old that no command can still be writing it. */
function isOld(path: string, nowMs: number): boolean {
  const written = statSync(path, { throwIfNoEntry: false });
  return written !== undefined && nowMs - written.mtimeMs > HOUR_MS;
}

async function untilStopped(work: Work, everyMs: number): Promise<void> {
  const { session, folder, kind } = work;
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGTERM", end);
  session.signal.addEventListener("abort", end, { once: true });
  const [newest] = timesIn(readdirSync(folder), kind);
  let waitMs = newest === undefined ? 0 : Math.max(0, newest.atMs + everyMs - session.io.now());
  while (!stop.signal.aborted) {
    await pauseFor(waitMs, stop.signal);
    if (stop.signal.aborted) break;
    const startMs = session.io.now();
    waitMs = everyMs;
    try {
      await runOnce(work);
    } catch (error) {
      session.tell(
        `error: ${(error as Error).message}; next try in ${Math.round(Math.min(everyMs, RETRY_MAX_MS) / 1000)} s`,
      );
      waitMs = Math.min(everyMs, RETRY_MAX_MS);
    }
    waitMs = Math.max(0, startMs + waitMs - session.io.now());
  }
  session.exitCode = 0;
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(ms, 2 ** 31 - 1));
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z$/;

/** Returns the backups among files, the newest first. Other files are left alone. */
function timesIn(names: readonly string[], kind: keyof typeof BACKUP_NAMES) {
  const [start, end] = BACKUP_NAMES[kind];
  return names
    .flatMap((name) => {
      if (!name.startsWith(start) || !name.endsWith(end)) return [];
      const [, day, hour, minute, second] = TIME.exec(name.slice(start.length, -end.length)) ?? [];
      const atMs = Date.parse(`${day}${hour}:${minute}:${second}Z`);
      return Number.isNaN(atMs) ? [] : [{ name, atMs }];
    })
    .sort((one, other) => other.atMs - one.atMs);
}

/** Returns the names of the files that are to be removed. The newest backup always stays. */
export function outdated(
  names: readonly string[],
  kind: keyof typeof BACKUP_NAMES,
  { keep, keepForMs = Number.POSITIVE_INFINITY, nowMs }: Retention & { readonly nowMs: number },
): readonly string[] {
  return timesIn(names, kind)
    .filter(({ atMs }, at) => at > 0 && (at >= keep || nowMs - atMs > keepForMs))
    .map(({ name }) => name);
}
