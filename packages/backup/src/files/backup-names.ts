// Names of backups in a folder or a bucket: the kind and the time. Names that do not follow the pattern belong to others.
import type { BackupKind } from "../content/content-check";

/** Beginning and ending of a name; the time of the backup is between them. */
const BACKUP_NAMES = { embedded: ["orch-", ".backup"], etcd: ["etcd-", ".snapshot"] } as const;
const KINDS = Object.keys(BACKUP_NAMES) as BackupKind[];
const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z$/;
/** A file with a later time was named by a clock that was wrong. */
const FUTURE_MS = 300_000;

export interface Retention {
  /** Number of backups. */
  readonly keep: number;
  /** Undefined: backups of any age are kept. */
  readonly keepForMs: number | undefined;
}

export interface PruneOptions extends Retention {
  readonly nowMs: number;
  /** Backup that has just been taken, and stays. Absent: the newest one stays. */
  readonly written?: string;
  /**
   * Maximum number of backups that are removed only for their age. A clock that is wrong makes all of them look old.
   * Default: any number.
   */
  readonly agedMax?: number;
}

export function backupName(kind: BackupKind, atMs: number): string {
  const [start, end] = BACKUP_NAMES[kind];
  const time = new Date(atMs)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
  return `${start}${time}${end}`;
}

/** Returns the kind and the time of a backup. @returns undefined for a name of another pattern */
export function readBackupName(name: string): { readonly kind: BackupKind; readonly atMs: number } | undefined {
  for (const kind of KINDS) {
    const [start, end] = BACKUP_NAMES[kind];
    if (!name.startsWith(start) || !name.endsWith(end)) continue;
    const [, day, hour, minute, second] = TIME.exec(name.slice(start.length, -end.length)) ?? [];
    const atMs = Date.parse(`${day}${hour}:${minute}:${second}Z`);
    if (!Number.isNaN(atMs)) return { kind, atMs };
  }
  return undefined;
}

/** Returns the backups of a kind, the newest first. Other names are left out. */
export function backupsAmong(names: readonly string[], kind: BackupKind) {
  return names
    .flatMap((name) => {
      const found = readBackupName(name);
      return found?.kind === kind ? [{ name, atMs: found.atMs }] : [];
    })
    .sort((one, other) => other.atMs - one.atMs);
}

/** Returns the names of the backups that are to be removed. The newest backup always stays. */
export function outdated(
  names: readonly string[],
  kind: BackupKind,
  { keep, keepForMs = Number.POSITIVE_INFINITY, nowMs, written, agedMax = Number.POSITIVE_INFINITY }: PruneOptions,
): readonly string[] {
  // A time in the future says nothing about the order: such a backup counts as the oldest.
  const placeOf = (atMs: number) => (atMs > nowMs + FUTURE_MS ? Number.NEGATIVE_INFINITY : atMs);
  const sorted = [...backupsAmong(names, kind)].sort((one, other) => {
    if (one.name === written || other.name === written) return one.name === written ? -1 : 1;
    return placeOf(other.atMs) === placeOf(one.atMs) ? 0 : placeOf(other.atMs) - placeOf(one.atMs);
  });
  const excess = sorted.slice(Math.max(1, keep));
  const aged = sorted.slice(1, Math.max(1, keep)).filter(({ atMs }) => nowMs - atMs > keepForMs);
  return [...aged.slice(Math.max(0, aged.length - agedMax)), ...excess].map(({ name }) => name);
}
