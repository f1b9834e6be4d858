// All priority levels, and how the server's seats are shared out among them while they come, change and go.
import type { Clock } from "@orch/platform";
import type { WaitingRoom } from "./fair-queues";
import type { LevelSpec } from "./flow-spec";
import { PriorityLevel } from "./priority-level";
import { sharedSeats } from "./seat-shares";

export interface PriorityLevelsOptions {
  readonly clock: Clock;
  /** Seats of the server. */
  readonly seats: number;
  /** How long a request waits for one. */
  readonly waitMs: number;
  /** How many may wait, in all levels together. */
  readonly waitingMax: number;
  /** Whether the event loop has no time to spare. */
  isLoopBusy(): boolean;
  /** Told when a request of a level may begin. */
  ready(level: PriorityLevel): void;
}

/** How often seats are lent anew. */
export const LENDING_MS = 10_000;

export class PriorityLevels {
  readonly room: WaitingRoom;
  /** Whether any level has seats that others may use. */
  lends = false;
  private readonly byName = new Map<string, PriorityLevel>();

  constructor(private readonly options: PriorityLevelsOptions) {
    this.room = { max: options.waitingMax, waiting: 0 };
  }

  get(name: string): PriorityLevel | undefined {
    return this.byName.get(name);
  }

  /** Those that are there, and those that have work left. */
  all(): readonly PriorityLevel[] {
    return [...this.byName.values()];
  }

  /** What waits stays where it is. */
  replace(specs: readonly LevelSpec[]): void {
    const wanted = new Set<string>();
    for (const spec of specs) {
      wanted.add(spec.name);
      const known = this.byName.get(spec.name);
      if (known === undefined) {
        this.byName.set(spec.name, new PriorityLevel(spec, { ...this.options, room: this.room }));
      } else {
        known.spec = spec;
        known.isDraining = false;
      }
    }
    for (const level of this.byName.values()) if (!wanted.has(level.name)) level.isDraining = true;
    this.forgetDrained();
    this.share();
  }

  /** Levels that have been deleted keep their seats until their work is done. @returns whether one is gone now */
  sweep(): boolean {
    const forgotten = this.forgetDrained();
    if (forgotten) this.share();
    return forgotten;
  }

  /** Lends seats to those that want them, where anybody has some to lend. */
  lend(nowMs: number): void {
    const limited = this.all().filter((level) => level.limited !== undefined);
    const demands = limited.map((level) => ({ ...level.bounds, ...level.demand.take(nowMs) }));
    if (!this.lends) return;
    const seats = sharedSeats(demands, this.options.seats);
    limited.forEach((level, at) => {
      level.queues.setLimit(seats[at] as number);
    });
  }

  close(): void {
    for (const level of this.byName.values()) level.queues.close();
  }

  private forgetDrained(): boolean {
    let forgotten = false;
    for (const level of this.byName.values()) {
      if (!level.isDraining || !level.isIdle) continue;
      level.queues.close();
      this.byName.delete(level.name);
      forgotten = true;
    }
    return forgotten;
  }

  private share(): void {
    let shares = 0;
    for (const { limited } of this.byName.values()) shares += limited?.shares ?? 0;
    for (const level of this.byName.values()) level.share(this.options.seats, shares);
    this.lends = this.all().some(({ bounds }) => bounds.least < bounds.nominal);
  }
}
