// One priority level: its seats, its queues and the counts of its requests.
import type { Clock } from "@orch/platform";
import { FairQueues, type QueueCapacity } from "../queues/fair-queues";
import type { LevelSpec, LimitedSpec } from "../schemas/flow-spec";
import { DemandMeter, type ObservedDemand, type SeatBounds, seatBounds } from "./seat-shares";

export interface LevelOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly room: QueueCapacity;
  /** Whether the event loop is saturated. */
  isLoopBusy(): boolean;
  /** Called when a request of the level may begin. */
  ready(level: PriorityLevel): void;
}

export class PriorityLevel {
  readonly queues: FairQueues;
  /** Number of executing requests. */
  executing = 0;
  dispatched = 0;
  rejected = 0;
  timedOut = 0;
  cancelled = 0;
  /** Whether it was deleted and finishes its accepted requests. */
  isDraining = false;
  bounds: SeatBounds = { nominal: 0, least: 0, most: 0 };
  readonly demand: DemandMeter;
  /** Demand of the last period and the demand by which seats were distributed after it. */
  lent: (ObservedDemand & { readonly target: number }) | undefined;
  /** Event loop time of the queued requests of all levels, per seat of this level. */
  loopStart = 0;

  constructor(
    public spec: LevelSpec,
    options: LevelOptions,
  ) {
    this.queues = new FairQueues({ ...options, ready: () => options.ready(this) });
    this.demand = new DemandMeter(options.clock.elapsed());
  }

  get name(): string {
    return this.spec.name;
  }

  /** Undefined: exempt. */
  get limited(): LimitedSpec | undefined {
    return this.spec.limited;
  }

  get isIdle(): boolean {
    return this.executing === 0 && this.queues.waitingRequests === 0 && this.queues.seatsInUse === 0;
  }

  get seatsWanted(): number {
    if (this.limited === undefined) return this.executing;
    return this.queues.seatsInUse + this.queues.waitingSeats;
  }

  /** @param total seats of the server @param sharesOfAll shares of all levels */
  share(total: number, sharesOfAll: number): void {
    const { limited } = this;
    if (limited === undefined) {
      // Requests that wait from before the level became exempt start at once.
      this.queues.configure(Number.POSITIVE_INFINITY, undefined);
      this.bounds = seatBounds(this.spec.exempt ?? NO_SHARES, total, sharesOfAll);
      return;
    }
    this.bounds = seatBounds(limited, total, sharesOfAll);
    this.queues.configure(this.bounds.nominal, limited.queuing);
  }
}

const NO_SHARES = { shares: 0, lendablePercent: 0 };
