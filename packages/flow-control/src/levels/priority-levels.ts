// All priority levels, and the distribution of the server's seats while levels are added, changed and removed.
import type { Clock } from "@orch/platform";
import type { QueueCapacity } from "../queues/fair-queues";
import type { LevelSpec } from "../schemas/flow-spec";
import { PriorityLevel } from "./priority-level";
import { sharedSeats } from "./seat-shares";

export interface PriorityLevelsOptions {
  readonly clock: Clock;
  /** Seats of the server. */
  readonly seats: number;
  /** Maximum wait of a request. */
  readonly waitMs: number;
  /** Maximum number of waiting requests in all levels. */
  readonly waitingMax: number;
  /** Whether the event loop is saturated. */
  isLoopBusy(): boolean;
  /** Called when a request of a level may begin. */
  ready(level: PriorityLevel): void;
}

/** Interval of lending. */
export const LENDING_MS = 10_000;

export class PriorityLevels {
  readonly room: QueueCapacity;
  /** Whether any level has seats to lend. */
  lends = false;
  /** See SharedSeats. */
  fairFraction = 0;
  private readonly byName = new Map<string, PriorityLevel>();

  constructor(private readonly options: PriorityLevelsOptions) {
    this.room = { max: options.waitingMax, waiting: 0 };
  }

  get(name: string): PriorityLevel | undefined {
    return this.byName.get(name);
  }

  /** Returns the configured levels, and deleted ones with requests left. */
  all(): readonly PriorityLevel[] {
    return [...this.byName.values()];
  }

  /** Replaces the levels. Waiting requests stay in their queues. */
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

  /** Deleted levels keep their seats until their requests are done. @returns whether one was removed now */
  sweep(): boolean {
    const forgotten = this.forgetDrained();
    if (forgotten) this.share();
    return forgotten;
  }

  /** Lends seats to levels with demand, when any level has seats to lend. */
  lend(nowMs: number): void {
    const observed = this.all().map((level) => ({ level, demand: level.demand.take(nowMs) }));
    if (!this.lends) return;
    let inExemptUse = 0;
    for (const { level, demand } of observed) {
      if (level.limited !== undefined) continue;
      const target = Math.max(level.bounds.least, demand.highest);
      level.lent = { ...demand, target };
      inExemptUse += target;
    }
    const limited = observed.filter(({ level }) => level.limited !== undefined);
    const demands = limited.map(({ level, demand }) => ({ ...level.bounds, ...demand }));
    const { seats, targets, fairFraction } = sharedSeats(demands, this.options.seats, inExemptUse);
    this.fairFraction = fairFraction;
    limited.forEach(({ level, demand }, at) => {
      level.lent = { ...demand, target: targets[at] as number };
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
    for (const { limited, spec } of this.byName.values()) shares += (limited ?? spec.exempt)?.shares ?? 0;
    for (const level of this.byName.values()) level.share(this.options.seats, shares);
    this.lends = this.all().some(({ bounds }) => bounds.least < bounds.nominal);
  }
}
