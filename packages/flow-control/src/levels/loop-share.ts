// Shares the event loop among requests, however many seats there are. Work that cannot start at once is started in
// small parts, one in each turn, so that the server reads new requests in between. The next request is chosen as late
// as possible, level by level in proportion to their seats, so that a new request does not wait behind all earlier
// ones. Source: docs/architecture.md, "Flow control".
import type { Queued } from "../queues/fair-queues";
import type { PriorityLevel } from "./priority-level";

export interface LoopShareOptions {
  /** Milliseconds of `performance.now`. */
  readonly nowMs: () => number;
  /** Runs the callback in the next turn of the loop, after I/O. */
  readonly later: (callback: () => void) => void;
  /** Time in one turn for requests that start on arrival, in milliseconds. */
  readonly atOnceMs: number;
  /** The same for waiting requests. */
  readonly waitingMs: number;
  /** Whether the loop has been mostly busy since the last call. */
  readonly isBusy: () => boolean;
}

/** Minimum interval of checks whether the loop is busy. */
const LOOK_MS = 20;

export class LoopShare {
  /** Whether the loop is saturated. */
  isBusy = false;
  private lookedMs = 0;
  private turnBeganMs: number | undefined;
  private scheduled = false;
  private readonly levels = new Set<PriorityLevel>();
  /** Virtual time of the level that was served last. */
  private now = 0;

  constructor(private readonly options: LoopShareOptions) {}

  /** Whether the time for requests that arrive in this turn is used up. */
  isSpent(nowMs: number): boolean {
    if (this.turnBeganMs === undefined) {
      this.turnBeganMs = nowMs;
      this.schedule();
      return false;
    }
    return nowMs - this.turnBeganMs >= this.options.atOnceMs;
  }

  /** Called when a request of the level may be able to begin. */
  ready(level: PriorityLevel): void {
    if (!this.levels.has(level)) {
      this.levels.add(level);
      level.loopStart = Math.max(level.loopStart, this.now);
    }
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.options.later(this.turn);
  }

  private readonly turn = (): void => {
    this.turnBeganMs = undefined;
    this.look();
    if (this.levels.size > 0) this.serve();
    this.scheduled = false;
    if (this.levels.size > 0) this.schedule();
  };

  private look(): void {
    const nowMs = this.options.nowMs();
    if (nowMs - this.lookedMs < LOOK_MS) return;
    this.lookedMs = nowMs;
    this.isBusy = this.options.isBusy();
  }

  private serve(): void {
    const { nowMs, waitingMs } = this.options;
    const beganMs = nowMs();
    let atMs = beganMs;
    do {
      const taken = this.take();
      if (taken === undefined) return;
      const { level, queued } = taken;
      queued.waiting.begin(queued);
      const doneMs = nowMs();
      level.loopStart += (doneMs - atMs) / level.queues.limit;
      atMs = doneMs;
    } while (atMs - beganMs < waitingMs);
  }

  /** Takes a request from the level that is furthest behind, among those that have one to begin. */
  private take(): { readonly level: PriorityLevel; readonly queued: Queued } | undefined {
    for (;;) {
      let first: PriorityLevel | undefined;
      for (const level of this.levels) if (first === undefined || level.loopStart < first.loopStart) first = level;
      if (first === undefined) return undefined;
      const queued = first.queues.next();
      if (queued !== undefined) {
        this.now = first.loopStart;
        return { level: first, queued };
      }
      this.levels.delete(first);
    }
  }
}
