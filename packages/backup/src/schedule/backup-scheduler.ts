// Takes backups at the times of a schedule. Every replica runs a scheduler; a lock in the store lets one of them take each
// backup. A replica that dies is replaced when its lease has ended. A failure is recorded, and whichever replica is
// first tries again.
import { type Clock, type Log, messageOf, pauseUnlessAborted, type RandomSource } from "@orch/platform";
import { type BackupRecord, type HeldLock, type RecordAt, type RecordParts, SharedRecord } from "./backup-record";
import type { BackupTimes } from "./backup-times";
import { nextAttemptMs, retryMsAfter } from "./next-attempt";
import { type TakenBackup, type TakeParts, takeBackup } from "./take-backup";

export interface SchedulerParts extends Omit<TakeParts, "store">, RecordParts {
  readonly store: TakeParts["store"] & RecordParts["store"];
  readonly times: BackupTimes;
  readonly log: Log;
  readonly observer: BackupObserver;
  readonly clock: Clock;
  readonly chance: RandomSource;
}

/** Figures of backups. */
export interface BackupObserver {
  /** Called with what the replicas know, whichever of them has made the backups. */
  known(record: BackupRecord): void;
  /** Called for each backup of this replica. */
  ended(result: "success" | "failure", seconds: number): void;
}

/** Interval at which the record is read, in milliseconds. */
const LOOK_MS = 10_000;
/** Interval while another replica makes a backup that is due. */
const LOOK_AT_HOLDER_MS = 2_000;
/** Handicap after a failure of this replica: another one may have a disk with room. */
const HANDICAP_MS = 5_000;
/** Random part of a pause, so that replicas do not read at the same time. */
const JITTER_MS = 500;
/** Maximum number of characters of a recorded error. */
const ERROR_MAX = 300;

export class BackupScheduler {
  private readonly stopped = new AbortController();
  private readonly shared: SharedRecord;
  private running: Promise<void> | undefined;
  private handicapMs = 0;
  private hasLostStore = false;

  constructor(private readonly parts: SchedulerParts) {
    this.shared = new SharedRecord(parts);
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Stops the scheduler. A backup in progress is ended and leaves nothing. */
  async stop(): Promise<void> {
    this.stopped.abort(new Error("the server is stopping"));
    await this.running;
  }

  private async run(): Promise<void> {
    const { clock, chance, log } = this.parts;
    while (!this.stopped.signal.aborted) {
      let pauseMs = LOOK_MS;
      try {
        pauseMs = await this.look();
        this.hasLostStore = false;
      } catch (error) {
        // The health of the store is reported elsewhere.
        if (!this.hasLostStore && !this.stopped.signal.aborted)
          log.warn("cannot read when the next backup is due", { error: messageOf(error) });
        this.hasLostStore = true;
      }
      await pauseUnlessAborted(clock, pauseMs + JITTER_MS * chance(), this.stopped.signal);
    }
  }

  /** Takes a backup if one is due. @returns the pause until the next look @throws StoreError */
  private async look(): Promise<number> {
    const { clock, times, observer } = this.parts;
    const known = await this.shared.read();
    observer.known(known.record);
    const nowMs = clock.now();
    const dueMs = nextAttemptMs(known.record, times, nowMs);
    if (dueMs === undefined) return LOOK_MS;
    const waitMs = dueMs + this.handicapMs - nowMs;
    if (waitMs > 0) return Math.min(waitMs, LOOK_MS);
    if (known.holder !== undefined) return LOOK_AT_HOLDER_MS;
    const lock = await this.shared.take(known);
    if (lock === undefined) return LOOK_AT_HOLDER_MS;
    await this.attempt(lock, known);
    return 0;
  }

  private async attempt(lock: HeldLock, { record: before }: RecordAt): Promise<void> {
    const { clock, log, observer, self } = this.parts;
    const [atMs, begun] = [clock.now(), clock.elapsed()];
    const ended = AbortSignal.any([this.stopped.signal, lock.lost]);
    let record: BackupRecord;
    try {
      const taken = await takeBackup(this.parts, ended);
      const seconds = (clock.elapsed() - begun) / 1000;
      const { bytes } = taken.found;
      record = { succeededMs: atMs, bytes, seconds, places: taken.places, failures: 0, by: self };
      observer.ended("success", seconds);
      log.info("took a backup", { ...fieldsOf(taken), seconds: Math.round(seconds * 10) / 10 });
      this.handicapMs = 0;
    } catch (error) {
      if (this.stopped.signal.aborted) return lock.release();
      const failures = before.failures + 1;
      const nowMs = clock.now();
      const { succeededMs, bytes, seconds, places } = before;
      const last = { ...(succeededMs !== undefined && { succeededMs, bytes, seconds, places }) } as BackupRecord;
      const text = messageOf(error).slice(0, ERROR_MAX);
      record = { ...last, failures, retryMs: retryMsAfter(failures, nowMs), by: self, error: text };
      observer.ended("failure", (clock.elapsed() - begun) / 1000);
      const nextSeconds = Math.round(((record.retryMs ?? nowMs) - nowMs) / 1000);
      log.error("cannot take a backup", { error: text, failures, nextAttemptSeconds: nextSeconds });
      this.handicapMs = HANDICAP_MS;
    }
    if (await lock.end(record)) observer.known(record);
    else log.warn("the lock of backups was lost before the outcome of one was recorded");
  }
}

const fieldsOf = ({ found, places, removed }: TakenBackup) => ({
  places,
  bytes: found.bytes,
  ...(found.kind === "embedded" && { objects: found.objects, revision: found.revision }),
  ...(removed.length > 0 && { removed }),
});
