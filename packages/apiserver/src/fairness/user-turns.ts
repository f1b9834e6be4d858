// Requests that have waited for the same, such as the store's revision, could all go on at once: hundreds of one user would then be
// answered before anybody else is listened to. A few go on in each turn of the event loop, and of those that wait one of each user after
// the other, so that a user of few requests waits for no flood of another's.

export interface UserTurnsOptions {
  /** Milliseconds, as `performance.now` counts them. */
  readonly nowMs: () => number;
  /** Calls back in the next turn of the loop, after it has listened. */
  readonly later: (callback: () => void) => void;
  /** Calls back once those that go on have come to where they wait again. */
  readonly whenDone: (callback: () => void) => void;
  /** Requests of one turn that need not wait. */
  readonly atOnce: number;
  /** How long in one turn those go on that wait, in milliseconds. */
  readonly waitingMs: number;
}

export class UserTurns {
  /** By user; whose turn is next stands first. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private wentAtOnce = 0;
  private turnBeganMs = 0;
  private isScheduled = false;

  constructor(private readonly options: UserTurnsOptions) {}

  /** To be asked before a request goes on. @returns what it has to wait for; undefined: nothing */
  next(user: string): Promise<void> | undefined {
    this.schedule();
    if (this.waiting.size === 0 && this.wentAtOnce < this.options.atOnce) {
      this.wentAtOnce += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      const others = this.waiting.get(user);
      if (others === undefined) this.waiting.set(user, [resolve]);
      else others.push(resolve);
    });
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.later(this.begin);
  }

  private readonly begin = (): void => {
    this.isScheduled = false;
    this.wentAtOnce = 0;
    this.turnBeganMs = this.options.nowMs();
    this.goOn();
  };

  private readonly goOn = (): void => {
    if (this.waiting.size === 0) return;
    if (this.options.nowMs() - this.turnBeganMs >= this.options.waitingMs) {
      this.schedule();
      return;
    }
    this.take()?.();
    this.options.whenDone(this.goOn);
  };

  private take(): (() => void) | undefined {
    for (const [user, waiting] of this.waiting) {
      this.waiting.delete(user);
      const first = waiting.shift();
      // Who has had his turn stands behind all others.
      if (waiting.length > 0) this.waiting.set(user, waiting);
      return first;
    }
    return undefined;
  }
}
