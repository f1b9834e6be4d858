// Takes one backup into all targets, checks it and removes old ones.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "@orch/platform";
import type { Store } from "@orch/store";
import { BackupError } from "../content/backup-error";
import type { BackupKind, CheckedBackup } from "../content/content-check";
import { backupName, outdated, type Retention } from "../files/backup-names";
import type { BackupTarget } from "../targets/backup-target";

export interface TakeParts {
  readonly store: Pick<Store, "backup" | "snapshot">;
  /** Opens the targets of one backup, at least one. The first one is read for the others. */
  readonly openTargets: () => readonly BackupTarget[];
  readonly retention: Retention;
  readonly clock: Clock;
}

export interface TakenBackup {
  readonly found: CheckedBackup;
  readonly places: readonly string[];
  readonly removed: readonly string[];
}

/** Time without a byte read or written after which a backup fails. */
const STALL_MS = 120_000;
/** Limit of a whole backup. */
const BACKUP_MAX_MS = 6 * 3_600_000;
/** Number of bytes that are checked, summed and copied in one turn of the event loop. */
const TURN_BYTES = 256 * 1024;
/** Maximum number of backups of a target that are removed at a time only for their age. */
const AGED_MAX = 2;

/** @throws BackupError, StoreError, or the reason of the signal */
export async function takeBackup(parts: TakeParts, ended: AbortSignal): Promise<TakenBackup> {
  const { store, openTargets, retention, clock } = parts;
  const kind: BackupKind = store.snapshot === undefined ? "embedded" : "etcd";
  const atMs = clock.now();
  const name = backupName(kind, atMs);
  const targets = openTargets();
  const progress = new Progress(clock, ended);
  const { signal } = progress;
  try {
    for (const target of targets) await target.removePartial(atMs, signal);
    const [first, ...others] = targets as readonly [BackupTarget, ...BackupTarget[]];
    const content = (store.snapshot ?? store.backup)?.call(store, { signal });
    if (content === undefined) throw new BackupError("the store has no backups");
    const found = await first.write(name, progress.over(content), signal);
    for (const other of others) await other.write(name, progress.over(first.read(name, signal)), signal);
    const removed: string[] = [];
    for (const target of targets) {
      const names = await target.names(signal);
      const options = { ...retention, nowMs: clock.now(), written: name, agedMax: AGED_MAX };
      for (const old of outdated(names, kind, options)) {
        await target.remove(old, signal);
        removed.push(target.placeOf(old));
      }
    }
    return { found, places: targets.map((target) => target.placeOf(name)), removed };
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    progress.end();
    for (const target of targets) target.close();
  }
}

/** Ends a backup that no longer progresses. */
class Progress {
  private readonly late = new AbortController();
  readonly signal: AbortSignal;
  private readonly cancels: (() => void)[];
  private cancelStall = (): void => {};

  constructor(
    private readonly clock: Clock,
    ended: AbortSignal,
  ) {
    this.signal = AbortSignal.any([this.late.signal, ended]);
    this.cancels = [this.limit(BACKUP_MAX_MS, `the backup took more than ${BACKUP_MAX_MS / 3_600_000} hours`)];
    this.moved();
  }

  /** Passes pieces on, each of which is progress. */
  async *over(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const piece of pieces) {
      this.moved();
      yield piece;
      bytes += piece.length;
      if (bytes < TURN_BYTES) continue;
      bytes = 0;
      await nextTurn();
    }
  }

  end(): void {
    this.cancelStall();
    for (const cancel of this.cancels) cancel();
  }

  private moved(): void {
    this.cancelStall();
    this.cancelStall = this.limit(STALL_MS, `the backup has not progressed for ${STALL_MS / 1000} s`);
  }

  private limit(ms: number, why: string): () => void {
    return this.clock.after(ms, () => this.late.abort(new BackupError(why)), { background: true });
  }
}
