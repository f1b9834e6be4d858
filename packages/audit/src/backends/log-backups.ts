// Rotated audit files: named by time, compressed, and deleted by number and age. Source: Kubernetes documentation,
// "kube-apiserver", `--audit-log-maxage`, `--audit-log-maxbackup`, `--audit-log-compress`.
import { createReadStream, createWriteStream } from "node:fs";
import { access, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

export interface BackupRules {
  /** 0: no limit. */
  readonly maxAgeDays: number;
  /** 0: no limit. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns an unused name `<name>-<UTC time><ext>`. */
export async function freeBackupName(path: string, nowMs: number): Promise<string> {
  for (let at = nowMs; ; at += 1) {
    const name = backupName(path, at);
    if (!(await exists(name)) && !(await exists(`${name}.gz`))) return name;
  }
}

function backupName(path: string, atMs: number): string {
  const extension = extname(path);
  const time = new Date(atMs).toISOString().replaceAll(":", "-").slice(0, -1);
  return `${path.slice(0, path.length - extension.length)}-${time}${extension}`;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

export async function cleanBackups(path: string, rules: BackupRules, nowMs: number): Promise<void> {
  const backups = await backupsOf(path);
  const oldestMs = rules.maxAgeDays === 0 ? Number.NEGATIVE_INFINITY : nowMs - rules.maxAgeDays * DAY_MS;
  const most = rules.maxBackups === 0 ? Number.POSITIVE_INFINITY : rules.maxBackups;
  for (const [at, { file, atMs }] of backups.entries()) {
    if (at >= most || atMs < oldestMs) await rm(file, { force: true });
    else if (rules.compress && !file.endsWith(".gz")) await compress(file);
  }
}

/** Sorted newest first. */
async function backupsOf(path: string): Promise<{ readonly file: string; readonly atMs: number }[]> {
  const extension = extname(path);
  const start = `${basename(path).slice(0, basename(path).length - extension.length)}-`;
  const found = (await readdir(dirname(path))).flatMap((name) => {
    const plain = name.endsWith(".gz") ? name.slice(0, -3) : name;
    if (!plain.startsWith(start) || !plain.endsWith(extension)) return [];
    const time = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(
      plain.slice(start.length, plain.length - extension.length),
    );
    if (time === null) return [];
    const atMs = Date.parse(`${time[1]}:${time[2]}:${time[3]}Z`);
    return Number.isNaN(atMs) ? [] : [{ file: join(dirname(path), name), atMs }];
  });
  return found.sort((one, other) => other.atMs - one.atMs);
}

/** Renames the compressed file to its final name only when it is complete. */
async function compress(file: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  try {
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
    await rename(unfinished, `${file}.gz`);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  await rm(file, { force: true });
}
