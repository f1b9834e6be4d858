// One priority level: its seats and queues, and what has become of its requests.
import type { Clock } from "@orch/platform";
import { FairQueues, type WaitingRoom } from "./fair-queues";
import type { LevelSpec, LimitedSpec } from "./flow-spec";
import { DemandMeter, type SeatBounds, seatBounds } from "./seat-shares";

export interface LevelOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly room: WaitingRoom;
  /** Whether the event loop has no time to spare. */
  isLoopBusy(): boolean;
  /** Told when a request of the level may begin. */
  ready(level: PriorityLevel): void;
}

export class PriorityLevel {
  readonly queues: FairQueues;
  /** Worked on. */
  executing = 0;
  dispatched = 0;
  rejected = 0;
  timedOut = 0;
  cancelled = 0;
  /** It has been deleted, and works off what it has taken on. */
  isDraining = false;
  bounds: SeatBounds = { nominal: 0, least: 0, most: 0 };
  readonly demand: DemandMeter;
  /** Of what queued requests of all levels have taken of the event loop, its part for each of its seats. */
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

  /** Undefined: nothing limits it. */
  get limited(): LimitedSpec | undefined {
    return this.spec.limited;
  }

  get isIdle(): boolean {
    return this.executing === 0 && this.queues.waitingRequests === 0 && this.queues.seatsInUse === 0;
  }

  get seatsWanted(): number {
    return this.queues.seatsInUse + this.queues.waitingSeats;
  }

  /** @param total seats of the server @param sharesOfAll of all levels */
  share(total: number, sharesOfAll: number): void {
    const { limited } = this;
    if (limited === undefined) {
      // What waits from before it was exempt goes at once.
      this.queues.configure(Number.POSITIVE_INFINITY, undefined);
      return;
    }
    this.bounds = seatBounds(limited, total, sharesOfAll);
    this.queues.configure(this.bounds.nominal, limited.queuing);
  }
}
