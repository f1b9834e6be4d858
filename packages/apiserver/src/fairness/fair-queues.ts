// The seats of one priority level, and the queues in which its requests wait for one. Whose turn is next is decided by virtual time: each
// queue's clock goes forward by the seat-seconds that its requests take, and the queue that is furthest behind goes first. A queue that
// was empty begins where the others are: nobody saves up turns, and nobody pays for what nobody else wanted.
//
//   queue   start   waiting (seats x seconds, guessed)      A has taken 2 seat-seconds, B none:
//   A       2.0     1, 1, 1                                 B's two go first; then they take turns.
//   B       0.0     1, 1
import { type Clock, PassingRow, type RowPlace } from "@orch/platform";
import type { QueuingSpec } from "./flow-spec";
import { isBefore, type Placed, QueueHeap } from "./queue-heap";
import { dealHand } from "./shuffle-deal";

export type Refusal = "queue-full" | "concurrency-limit" | "time-out";

/** A request that waits, or has waited, for its seats. */
export interface Waiting {
  /** Seats. */
  readonly width: number;
  /** Whose it is, among those that share the seats; absent: of nobody who could take too many. */
  readonly holder?: string;
  /** For people. */
  about(): WaitingRequest;
  /** To be called by whoever has taken it with `next`. */
  begin(queued: Queued): void;
  /** Called when it has waited too long. */
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

/** One that has been put into a queue. */
export interface Queued {
  readonly waiting: Waiting;
  readonly queue: FlowQueue;
  /** `Clock.elapsed`, in milliseconds. */
  readonly arrivedMs: number;
  readonly arrival: number;
  /** In its queue, and among all; undefined until it has been put there. */
  inQueue: RowPlace<Queued> | undefined;
  inAll: RowPlace<Queued> | undefined;
}

export interface FlowQueue extends Placed {
  readonly index: number;
  /** In order of arrival. */
  readonly waiting: PassingRow<Queued>;
  waitingSeats: number;
  /** Of its requests that are worked on. */
  seats: number;
  executing: number;
}

export interface FairQueuesOptions {
  readonly clock: Clock;
  /** How long a request waits. */
  readonly waitMs: number;
  /** All queues of all levels together. */
  readonly room: WaitingRoom;
  /** Whether the event loop has no time to spare. */
  isLoopBusy(): boolean;
  /** Told when there may be a request for `next`. */
  ready(): void;
}

/** What waits in all levels, and how much may. */
export interface WaitingRoom {
  readonly max: number;
  waiting: number;
}

/** Seats that one may hold for each that is free: four fifths of all while nobody else comes, so that the next one finds some. */
const SHARE = 4;
/**
 * Seats that one may hold while the event loop is busy and others come too: what all of them wait for may come at once, and then they go on
 * in one turn.
 */
const HELD_WHILE_BUSY = 16;
/** After another one has come. */
const WITH_OTHERS_MS = 5_000;
/** What a request is taken to last until it is known, in seconds. */
const GUESSED_SECONDS = 0.003;
/** So many holders may stay without seats: one who asks again and again is not taken out and put in by every request. */
const HOLDERS_KEPT = 64;
/** So many queues are remembered, and twice those that have to be, before it is looked which of them are idle. */
const IDLE_QUEUES = 64;

export class FairQueues {
  /** Seats that there are. */
  limit = 0;
  seatsInUse = 0;
  waitingRequests = 0;
  waitingSeats = 0;
  private queuing: QueuingSpec | undefined;
  /** Of an endless row, those that something waits in, is worked on from, or has been lately. */
  private readonly queues = new Map<number, FlowQueue>();
  private readonly heap = new QueueHeap<FlowQueue>();
  /** Seats by holder; a few who hold none now stay for their next request. */
  private readonly held = new Map<string, number>();
  /** Who came last, and when that was another one than before. */
  private lastHolder: string | undefined;
  private otherCameMs = Number.NEGATIVE_INFINITY;
  /** In order of arrival. */
  private readonly all = new PassingRow<Queued>();
  /** Virtual time: where the request stood that was let in last. */
  private now = 0;
  private arrivals = 0;
  private pruneAt = IDLE_QUEUES;
  private cancelTimer: (() => void) | undefined;

  constructor(private readonly options: FairQueuesOptions) {}

  /** What waits stays where it is. */
  configure(limit: number, queuing: QueuingSpec | undefined): void {
    this.queuing = queuing;
    this.setLimit(limit);
  }

  setLimit(limit: number): void {
    this.limit = limit;
    this.tell();
  }

  /**
   * Takes seats where there are enough and nobody waits. They are given back by `finish`.
   * @param holder as that of a request that waits
   */
  tryTake(width: number, holder?: string): boolean {
    this.came(holder);
    if (this.waitingRequests > 0 || !this.fits(width) || !this.leavesSome(width, holder)) return false;
    this.take(width, holder);
    return true;
  }

  /**
   * Puts a request that found no seat into a queue.
   * @param hash of its flow
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

  /** Takes the request whose turn it is out of its queue, where there are seats for it: they are its own from now on. */
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

  /** Its client has left: whoever waits behind it moves up. Does nothing for one that waits no more. */
  leave(queued: Queued): void {
    if (queued.inAll?.isInRow !== true) return;
    this.remove(queued);
    this.forgetIfIdle(queued.queue);
    // One that needs fewer seats may stand in front now.
    this.tell();
  }

  /**
   * Gives seats back.
   * @param queue undefined for a request that did not wait
   * @param seconds for how long they were taken
   * @param holder who took them
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

  /** For people: queues that something is known of. */
  known(): readonly FlowQueue[] {
    return [...this.queues.values()].sort((one, other) => one.index - other.index);
  }

  get activeQueues(): number {
    let active = 0;
    for (const queue of this.queues.values()) if (queue.waiting.size > 0 || queue.executing > 0) active += 1;
    return active;
  }

  /** How many there are; 0 where nothing may wait. */
  get queueCount(): number {
    return this.queuing?.queues ?? 0;
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  /** One that needs more than all seats has them alone. */
  private fits(width: number): boolean {
    return this.seatsInUse + width <= this.limit || (this.seatsInUse === 0 && this.limit > 0);
  }

  /** Whoever holds many leaves the rest to others, however long his requests take. */
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

  /** @param width less than 0 to give them back */
  private take(width: number, holder: string | undefined): void {
    this.seatsInUse += width;
    if (holder === undefined) return;
    const held = (this.held.get(holder) ?? 0) + width;
    if (held === 0 && this.held.size > HOLDERS_KEPT) this.held.delete(holder);
    else this.held.set(holder, held);
  }

  /** The queue whose turn it is: seldom another one than the one on top. */
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

  /** Of the hand, the queue with the least before it. */
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
        waiting: new PassingRow(),
        waitingSeats: 0,
        seats: 0,
        executing: 0,
      };
      this.queues.set(index, queue);
    }
    return queue;
  }

  /** One that is ahead of the others is remembered while somebody waits: it is not its turn yet. */
  private forgetIfIdle(queue: FlowQueue): void {
    if (queue.executing > 0 || queue.waiting.size > 0) return;
    if (this.waitingRequests > 0 && queue.start > this.now) return;
    if (this.queues.get(queue.index) === queue) this.queues.delete(queue.index);
  }

  private prune(): void {
    for (const queue of this.queues.values()) this.forgetIfIdle(queue);
    this.pruneAt = 2 * this.queues.size + IDLE_QUEUES;
  }

  /** All wait equally long: whoever came first is the first to give up. */
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
      // Asked each time: who is refused may have others leave.
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

/** Timers are not set for less. */
const TIMER_STEP_MS = 1;
/** Each is answered. */
const GIVEN_UP_AT_ONCE = 200;
