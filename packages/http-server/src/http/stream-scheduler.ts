// Bounds the requests of HTTP/2 connections, which may arrive by the hundred in one read. Some requests of each
// connection are started in one turn of the event loop, the others in later turns, connections in turn. Requests that
// the client resets meanwhile are never started.
import type { Http2Session, Http2Stream } from "node:http2";
import { LinkedQueue, type QueueNode } from "@orch/platform";

/** Requests of one connection that are started per turn of the event loop. */
const BEGUN_PER_TURN = 8;
/** Waiting requests of all connections that are started per turn. */
const BEGUN_LATE_PER_TURN = 32;

const TURNS = Symbol("turns");

interface TakingTurns extends Http2Session {
  [TURNS]?: StreamScheduler;
}

export interface StreamSchedulerOptions {
  /** Maximum number of waiting requests. More than may be open at once wait only when many of them were reset. */
  readonly waitingMax: number;
  /** Called when the limit is exceeded; the waiting requests are dropped. */
  overrun(session: Http2Session): void;
  /** Called for each request that its client reset before it was started. */
  abandoned(session: Http2Session): void;
}

interface Waiting {
  readonly stream: Http2Stream;
  readonly begin: () => void;
}

export class StreamScheduler {
  private turn = -1;
  private begun = 0;
  private waiting: Waiting[] = [];

  private constructor(
    private readonly session: Http2Session,
    private readonly options: StreamSchedulerOptions,
  ) {}

  /** @param options used with the session's first request */
  static of(session: Http2Session, options: StreamSchedulerOptions): StreamScheduler {
    const taking = session as TakingTurns;
    taking[TURNS] ??= new StreamScheduler(session, options);
    return taking[TURNS];
  }

  /** Starts a request now or in a later turn; not at all if it is reset before. */
  take(stream: Http2Stream, begin: () => void): void {
    if (this.waiting.length === 0 && this.hasTurn()) {
      begin();
      return;
    }
    this.waiting.push({ stream, begin });
    if (this.waiting.length > this.options.waitingMax) {
      this.waiting = [];
      this.options.overrun(this.session);
      return;
    }
    if (this.waiting.length === 1) stand(this);
  }

  private hasTurn(): boolean {
    const turn = currentTurn();
    if (this.turn !== turn) {
      this.turn = turn;
      this.begun = 0;
    }
    this.begun += 1;
    return this.begun <= BEGUN_PER_TURN;
  }

  /** @returns number of started requests */
  beginWaiting(): number {
    const { waiting } = this;
    let at = 0;
    let begun = 0;
    for (; at < waiting.length && begun < BEGUN_PER_TURN; at += 1) {
      const { stream, begin } = waiting[at] as Waiting;
      if (stream.closed || stream.destroyed) {
        this.options.abandoned(this.session);
        continue;
      }
      begun += 1;
      begin();
    }
    this.waiting = waiting.slice(at);
    return begun;
  }

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }
}

/** Connections with waiting requests, the next one first. */
const row = new LinkedQueue<StreamScheduler>();
let isScheduled = false;

function stand(one: StreamScheduler): void {
  row.add(one);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(beginWaiting);
}

/** Gives each connection a turn; the rest come first in the next turn of the loop. */
function beginWaiting(): void {
  isScheduled = false;
  for (let left = row.size, begun = 0; left > 0 && begun < BEGUN_LATE_PER_TURN; left -= 1) {
    const place = row.first as QueueNode<StreamScheduler>;
    row.delete(place);
    begun += place.item.beginWaiting();
    if (place.item.isWaiting) row.add(place.item);
  }
  if (row.size > 0) schedule();
}

let turns = 0;
let isCounted = false;

/** Returns the same number until the next turn of the event loop. */
function currentTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(nextTurn);
  }
  return turns;
}

function nextTurn(): void {
  turns += 1;
  isCounted = false;
}
