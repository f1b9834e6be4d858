// The seats of one priority level, and the queues in which its requests wait for one. Virtual time decides which queue
// is next: the clock of a queue advances by the seat-seconds that its requests take, and the queue that is furthest
// behind goes first. A queue that was empty starts at the current virtual time: it neither saves up turns nor pays for
// seats that no other queue wanted.
//
//   queue   start   waiting (seats x seconds, guessed)      A has taken 2 seat-seconds, B none:
//   A       2.0     1, 1, 1                                 B's two go first; then they take turns.
//   B       0.0     1, 1
import { type Clock, LinkedQueue, type QueueNode } from "@orch/platform";
import type { QueuingSpec } from "../schemas/flow-spec";
import { isBefore, type Placed, QueueHeap } from "./queue-heap";
import { dealHand } from "./shuffle-deal";

export type Refusal = "queue-full" | "concurrency-limit" | "time-out";

/** A request that waits, or has waited, for its seats. */
export interface Waiting {
  /** Number of seats. */
  readonly width: number;
  /** The user or other holder among which the seats are shared; absent: no limit per holder. */
  readonly holder?: string;
  /** Description for the debug pages. */
  about(): WaitingRequest;
  /** Called by the caller of `next` that took the request. */
  begin(queued: Queued): void;
  /** Called when the request has waited too long. */
  refuse(queued: Queued, why: Refusal): void;
}

export interface WaitingRequest {
  readonly schema: string;
  readonly distinguisher: string;
  readonly user: string;
  readonly verb: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
}

/** A request in a queue. */
export interface Queued {
  readonly waiting: Waiting;
  readonly queue: FlowQueue;
  /** `Clock.elapsed`, in milliseconds. */
  readonly arrivedMs: number;
  readonly arrival: number;
  /** Its places in its queue and in the row of all requests; undefined until it is placed. */
  inQueue: QueueNode<Queued> | undefined;
  inAll: QueueNode<Queued> | undefined;
}

export interface FlowQueue extends Placed {
  readonly index: number;
  /** In order of arrival. */
  readonly waiting: LinkedQueue<Queued>;
  waitingSeats: number;
  /** Seats of its executing requests. */
  seats: number;
  executing: number;
}

export interface FairQueuesOptions {
  readonly clock: Clock;
  /** Maximum wait of a request. */
  readonly waitMs: number;
  /** Shared by all queues of all levels. */
  readonly room: QueueCapacity;
  /** Whether the event loop is saturated. */
  isLoopBusy(): boolean;
  /** Called when `next` may return a request. */
  ready(): void;
}

/** Number of waiting requests in all levels, and its limit. */
export interface QueueCapacity {
  readonly max: number;
  waiting: number;
}

/**
 * Seats that one holder may have for each free seat: four fifths of all while no other holder comes, so that the next
 * one finds some.
 */
const SHARE = 4;
/**
 * Maximum number of seats of one holder while the event loop is busy and other holders are active: all that its
 * requests wait for may arrive at once, and they then continue in one turn.
 */
const HELD_WHILE_BUSY = 16;
/** Time for which another holder counts as active. */
const WITH_OTHERS_MS = 5_000;
/** Assumed duration of a request until it is known, in seconds. */
const GUESSED_SECONDS = 0.003;
/** Number of holders without seats that are kept, so that repeated requests do not remove and insert them each time. */
const HOLDERS_KEPT = 64;
/** Idle queues are removed when there are more than twice the queues left by the last removal, plus this number. */
const IDLE_QUEUES = 64;

export class FairQueues {
  /** Total number of seats. */
  limit = 0;
  seatsInUse = 0;
  waitingRequests = 0;
  waitingSeats = 0;
  private queuing: QueuingSpec | undefined;
  /** Queues with waiting, executing or recent requests, by index. */
  private readonly queues = new Map<number, FlowQueue>();
  private readonly heap = new QueueHeap<FlowQueue>();
  /** Seats by holder. A few holders without seats are kept for their next request. */
  private readonly held = new Map<string, number>();
  /** Last holder, and the time at which the holder last changed. */
  private lastHolder: string | undefined;
  private otherCameMs = Number.NEGATIVE_INFINITY;
  /** In order of arrival. */
  private readonly all = new LinkedQueue<Queued>();
  /** Virtual time: the start of the request that was admitted last. */
  private now = 0;
  private arrivals = 0;
  private pruneAt = IDLE_QUEUES;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly options: FairQueuesOptions) {}

  /** Changes the limits. Waiting requests stay in their queues. */
  configure(limit: number, queuing: QueuingSpec | undefined): void {
    this.queuing = queuing;
    this.setLimit(limit);
  }

  setLimit(limit: number): void {
    this.limit = limit;
    this.tell();
  }

  /**
   * Takes seats when enough are free and no request waits. `finish` returns them.
   * @param holder as for a waiting request
   */
  tryTake(width: number, holder?: string): boolean {
    this.came(holder);
    if (this.waitingRequests > 0 || !this.fits(width) || !this.leavesSome(width, holder)) return false;
    this.take(width, holder);
    return true;
  }

  /**
   * Puts a request that found no seat into a queue.
   * @param hash hash of its flow
   */
  enqueue(waiting: Waiting, hash: number): Queued | Refusal {
    const { queuing } = this;
    const { room, clock } = this.options;
    if (queuing === undefined) return "concurrency-limit";
    const queue = this.shortestOf(dealHand(hash, queuing.queues, queuing.handSize));
    if (queue.waiting.size >= queuing.lengthMax || room.waiting >= room.max) {
      this.forgetIfIdle(queue);
      return "queue-full";
    }
    this.arrivals += 1;
    const arrivedMs = clock.elapsed();
    const queued: Queued = { waiting, queue, arrivedMs, arrival: this.arrivals, inQueue: undefined, inAll: undefined };
    queued.inQueue = queue.waiting.add(queued);
    queue.waitingSeats += waiting.width;
    queued.inAll = this.all.add(queued);
    this.waitingRequests += 1;
    this.waitingSeats += waiting.width;
    room.waiting += 1;
    if (queue.waiting.size === 1) {
      queue.start = Math.max(queue.start, this.now);
      queue.arrival = queued.arrival;
      this.heap.add(queue);
    }
    this.watchTime();
    this.tell();
    return queued;
  }

  /** Removes the next request from its queue when there are seats for it, and takes these seats. */
  next(): Queued | undefined {
    const queue = this.firstThatMay();
    if (queue === undefined) return undefined;
    const queued = queue.waiting.first?.item;
    if (queued === undefined || !this.fits(queued.waiting.width)) return undefined;
    const { width, holder } = queued.waiting;
    this.now = Math.max(this.now, queue.start);
    this.take(width, holder);
    queue.seats += width;
    queue.executing += 1;
    queue.start += width * GUESSED_SECONDS;
    this.remove(queued);
    if (this.waitingRequests === 0 && this.queues.size > IDLE_QUEUES) this.prune();
    return queued;
  }

  /** Removes a request whose client has left. Does nothing when the request no longer waits. */
  leave(queued: Queued): void {
    if (queued.inAll?.isInQueue !== true) return;
    this.remove(queued);
    this.forgetIfIdle(queued.queue);
    // The new front request may need fewer seats.
    this.tell();
  }

  /**
   * Returns seats.
   * @param queue undefined for a request that did not wait
   * @param seconds time for which they were taken
   * @param holder holder that took them
   */
  finish(width: number, queue: FlowQueue | undefined, seconds: number, holder?: string): void {
    this.take(-width, holder);
    if (queue !== undefined) {
      queue.seats -= width;
      queue.executing -= 1;
      queue.start += width * (seconds - GUESSED_SECONDS);
      this.heap.moved(queue);
      this.forgetIfIdle(queue);
    }
    this.tell();
  }

  /** Known queues, for the debug pages. */
  known(): readonly FlowQueue[] {
    return [...this.queues.values()].sort((one, other) => one.index - other.index);
  }

  get activeQueues(): number {
    let active = 0;
    for (const queue of this.queues.values()) if (queue.waiting.size > 0 || queue.executing > 0) active += 1;
    return active;
  }

  /** Number of queues; 0 when requests may not wait. */
  get queueCount(): number {
    return this.queuing?.queues ?? 0;
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  /** A request that needs more than all seats runs alone. */
  private fits(width: number): boolean {
    return this.seatsInUse + width <= this.limit || (this.seatsInUse === 0 && this.limit > 0);
  }

  /** Limits the seats of one holder, so that other holders find seats whatever the duration of its requests. */
  private leavesSome(width: number, holder: string | undefined): boolean {
    const held = holder === undefined ? 0 : (this.held.get(holder) ?? 0);
    if (held === 0) return true;
    if (held + width > HELD_WHILE_BUSY && this.isWithOthers && this.options.isLoopBusy()) return false;
    return held + width <= SHARE * (this.limit - this.seatsInUse);
  }

  private came(holder: string | undefined): void {
    if (holder === this.lastHolder) return;
    if (this.lastHolder !== undefined) this.otherCameMs = this.options.clock.elapsed();
    this.lastHolder = holder;
  }

  private get isWithOthers(): boolean {
    return this.options.clock.elapsed() - this.otherCameMs < WITH_OTHERS_MS;
  }

  /** @param width negative to return seats */
  private take(width: number, holder: string | undefined): void {
    this.seatsInUse += width;
    if (holder === undefined) return;
    const held = (this.held.get(holder) ?? 0) + width;
    if (held === 0 && this.held.size > HOLDERS_KEPT) this.held.delete(holder);
    else this.held.set(holder, held);
  }

  /** Returns the queue whose turn it is, usually the top of the heap. */
  private firstThatMay(): FlowQueue | undefined {
    const { top } = this.heap;
    if (top === undefined || this.mayBegin(top)) return top;
    let first: FlowQueue | undefined;
    for (const queue of this.heap)
      if ((first === undefined || isBefore(queue, first)) && this.mayBegin(queue)) first = queue;
    return first;
  }

  private mayBegin({ waiting }: FlowQueue): boolean {
    const queued = waiting.first?.item;
    return queued === undefined || this.leavesSome(queued.waiting.width, queued.waiting.holder);
  }

  private tell(): void {
    if (this.waitingRequests > 0) this.options.ready();
  }

  private remove(queued: Queued): void {
    const { queue, waiting } = queued;
    if (queued.inQueue !== undefined) queue.waiting.delete(queued.inQueue);
    queue.waitingSeats -= waiting.width;
    if (queued.inAll !== undefined) this.all.delete(queued.inAll);
    this.waitingRequests -= 1;
    this.waitingSeats -= waiting.width;
    this.options.room.waiting -= 1;
    const next = queue.waiting.first?.item;
    if (next === undefined) {
      this.heap.remove(queue);
    } else {
      queue.arrival = next.arrival;
      this.heap.moved(queue);
    }
    if (this.all.size === 0) this.close();
  }

  /** Returns the queue of the hand with the least work before it. */
  private shortestOf(hand: readonly number[]): FlowQueue {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const index of hand) {
      const queue = this.queues.get(index);
      const before = queue === undefined ? 0 : queue.waitingSeats + queue.seats;
      if (before >= least) continue;
      best = index;
      least = before;
    }
    return this.queueAt(best);
  }

  private queueAt(index: number): FlowQueue {
    let queue = this.queues.get(index);
    if (queue === undefined) {
      if (this.queues.size >= this.pruneAt) this.prune();
      queue = {
        index,
        start: this.now,
        arrival: 0,
        place: -1,
        waiting: new LinkedQueue(),
        waitingSeats: 0,
        seats: 0,
        executing: 0,
      };
      this.queues.set(index, queue);
    }
    return queue;
  }

  /** A queue that is ahead of the others is kept while requests wait: it is not its turn yet. */
  private forgetIfIdle(queue: FlowQueue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    if (this.waitingRequests > 0 && queue.start > this.now) return;
    if (this.queues.get(queue.index) === queue) this.queues.delete(queue.index);
  }

  private prune(): void {
    for (const queue of this.queues.values()) this.forgetIfIdle(queue);
    this.pruneAt = 2 * this.queues.size + IDLE_QUEUES;
  }

  /** All requests have the same maximum wait: the oldest times out first. */
  private watchTime(): void {
    if (this.cancelTimer !== undefined) return;
    const oldest = this.all.first?.item;
    if (oldest === undefined) return;
    const { clock, waitMs } = this.options;
    const leftMs = oldest.arrivedMs + waitMs - clock.elapsed();
    this.cancelTimer = clock.after(Math.max(leftMs, TIMER_STEP_MS), () => this.giveUpLate(), { background: true });
  }

  private giveUpLate(): void {
    this.cancelTimer = undefined;
    const lateMs = this.options.clock.elapsed() - this.options.waitMs;
    for (let count = 0; count < GIVEN_UP_AT_ONCE; count += 1) {
      // Read anew in each step: a refusal may cause other requests to leave.
      const queued = this.all.first?.item;
      if (queued === undefined || queued.arrivedMs > lateMs) break;
      this.remove(queued);
      this.forgetIfIdle(queued.queue);
      queued.waiting.refuse(queued, "time-out");
    }
    this.watchTime();
    this.tell();
  }
}

/** Minimum delay of a timer. */
const TIMER_STEP_MS = 1;
/** Maximum number of requests refused in one turn: each gets an answer. */
const GIVEN_UP_AT_ONCE = 200;
