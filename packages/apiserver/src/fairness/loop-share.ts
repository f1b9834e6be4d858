// The event loop is what all requests share, however many seats there are: work that cannot be done at once is begun a little in each turn,
// and in between the server listens to whoever has come. What is begun next is decided as late as can be, level by level in proportion to
// their seats, so that somebody who comes now does not wait behind all that came before.
import type { Queued } from "./fair-queues";
import type { PriorityLevel } from "./priority-level";

export interface LoopShareOptions {
  /** Milliseconds, as `performance.now` counts them. */
  readonly nowMs: () => number;
  /** Calls back in the next turn of the loop, after it has listened. */
  readonly later: (callback: () => void) => void;
  /** How long in one turn requests are begun as they come, in milliseconds. */
  readonly atOnceMs: number;
  /** How long those that wait. */
  readonly waitingMs: number;
  /** Whether the loop has had little rest since it was last called. */
  readonly isBusy: () => boolean;
}

/** How often it is looked whether the loop is busy, at most. */
const LOOK_MS = 20;

export class LoopShare {
  /** The loop has no time to spare. */
  isBusy = false;
  private lookedMs = 0;
  private turnBeganMs: number | undefined;
  private scheduled = false;
  private readonly levels = new Set<PriorityLevel>();
  /** Where the level stood that was served last. */
  private now = 0;

  constructor(private readonly options: LoopShareOptions) {}

  /** Whether requests that come in this turn have been worked on long enough. */
  isSpent(nowMs: number): boolean {
    if (this.turnBeganMs === undefined) {
      this.turnBeganMs = nowMs;
      this.schedule();
      return false;
    }
    return nowMs - this.turnBeganMs >= this.options.atOnceMs;
  }

  /** A request of the level may be able to begin. */
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

  /** Of the levels that have a request which can begin, the one that is furthest behind. */
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
