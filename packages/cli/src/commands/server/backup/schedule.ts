// `orch schedule`: takes backups at an interval, and removes old ones once a new one has been checked.
import type { BackupKind, BackupTarget, Retention } from "@orch/backup";
import { parseGoDuration } from "@orch/machinery";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { addEtcdOptions, type EtcdOptions } from "../store/etcd-options";
import { backupText, placeIn } from "./backup";
import { addS3Options, S3_HELP, type S3CommandOptions, s3Place } from "./s3-place";
import { takeInto } from "./take-backup";

interface Options extends EtcdOptions, S3CommandOptions {
  readonly to?: string;
  readonly every: string;
  readonly keep: string;
  readonly keepFor?: string;
  readonly once?: boolean;
}

/** A failed backup is tried again soon, and not only after a long interval. */
const RETRY_MAX_MS = 60_000;

export function define(command: Command, session: Session): void {
  addS3Options(
    addEtcdOptions(
      command
        .argument("[folder]", "folder of the backups, or s3://BUCKET/PREFIX")
        .option("--to <folder>", "the folder, in place of the argument")
        .option("--every <duration>", "interval", "1h")
        .option("--keep <count>", "number of backups that stay", "24")
        .option("--keep-for <duration>", "age from which backups are removed; the newest one stays (default: any age)")
        .option("--once", "take one backup, remove old ones and end, for a scheduler of the operating system"),
    ),
  ).addHelpText(
    "after",
    `
Each backup is read again before older ones are removed. A failure is told on standard error and tried again; with --once it
is the exit code. A server takes backups by itself with its flag --backup-schedule.
${S3_HELP}

Examples:
  orch schedule backups --every=15m --keep=96
  orch schedule backups --once --keep=30 --keep-for=720h`,
  );
  command.action(async (argument: string | undefined, options: Options) => {
    const everyMs = durationOf("--every", options.every);
    const keep = Number(options.keep);
    if (!Number.isInteger(keep) || keep < 1)
      throw new CliError(`--keep: ${JSON.stringify(options.keep)} is not a number from 1`);
    const keepForMs = options.keepFor === undefined ? undefined : durationOf("--keep-for", options.keepFor);
    const { every: _every, keep: _keep, keepFor: _keepFor, once, to, ...etcd } = options;
    const target = targetOf(session, placeIn(argument, to), options);
    const work = { session, target, etcd, retention: { keep, keepForMs } };
    if (once === true) return runOnce(work);
    await untilStopped(work, everyMs);
  });
}

function targetOf(session: Session, place: string, options: S3CommandOptions): BackupTarget {
  const { FolderTarget } = require("@orch/backup") as typeof import("@orch/backup");
  const bucket = s3Place(session, place, options);
  if (bucket?.name !== undefined) throw new CliError(`${place}: name the folder, not a backup`);
  return bucket?.target ?? new FolderTarget(place);
}

function durationOf(option: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new CliError(`${option}: ${JSON.stringify(text)} is not a duration, such as 15m or 24h`);
}

interface Work {
  readonly session: Session;
  readonly target: BackupTarget;
  readonly etcd: EtcdOptions;
  readonly retention: Retention;
}

async function runOnce({ session, target, etcd, retention }: Work): Promise<void> {
  const { outdated } = require("@orch/backup") as typeof import("@orch/backup");
  const { path, found } = await takeInto(target, session, etcd);
  session.write(`${backupText(path, found)}\n`);
  const nowMs = session.io.now();
  for (const name of outdated(await target.names(session.signal), found.kind, { ...retention, nowMs })) {
    await target.remove(name, session.signal);
    session.write(`${target.placeOf(name)}: removed\n`);
  }
  await target.removePartial(nowMs, session.signal);
}

const KINDS: readonly BackupKind[] = ["embedded", "etcd"];

async function untilStopped(work: Work, everyMs: number): Promise<void> {
  const { backupsAmong } = require("@orch/backup") as typeof import("@orch/backup");
  const { session, target } = work;
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGTERM", end);
  session.signal.addEventListener("abort", end, { once: true });
  const names = await target.names(session.signal).catch(() => []);
  const newestMs = Math.max(...KINDS.map((kind) => backupsAmong(names, kind)[0]?.atMs ?? Number.NEGATIVE_INFINITY));
  let waitMs = Math.max(0, newestMs + everyMs - session.io.now());
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
