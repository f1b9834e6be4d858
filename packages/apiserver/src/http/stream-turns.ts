// HTTP/2 clients may send hundreds of requests in one piece. Some of each connection are begun in one turn of the event loop, the
// others in the next ones, connections in turn, so that others come to theirs in between; and what its client resets meanwhile was never
// begun.
import type { Http2Session, Http2Stream } from "node:http2";
import { PassingRow, type RowPlace } from "@orch/platform";

/** Requests of one connection that are begun in one turn of the event loop. */
const BEGUN_PER_TURN = 8;
/** Requests of all connections that have waited and are begun in one turn. */
const BEGUN_LATE_PER_TURN = 32;

const TURNS = Symbol("turns");

interface TakingTurns extends Http2Session {
  [TURNS]?: StreamTurns;
}

export interface StreamTurnsOptions {
  /** More than may be open at once can only wait when many of them have been reset. */
  readonly waitingMax: number;
  /** Told when more wait; what has waited is forgotten. */
  overrun(session: Http2Session): void;
  /** Told of each request that its client has reset before it was begun. */
  abandoned(session: Http2Session): void;
}

interface Waiting {
  readonly stream: Http2Stream;
  readonly begin: () => void;
}

export class StreamTurns {
  private turn = -1;
  private begun = 0;
  private waiting: Waiting[] = [];

  private constructor(
    private readonly session: Http2Session,
    private readonly options: StreamTurnsOptions,
  ) {}

  /** @param options counts when the session's first request comes */
  static of(session: Http2Session, options: StreamTurnsOptions): StreamTurns {
    const taking = session as TakingTurns;
    taking[TURNS] ??= new StreamTurns(session, options);
    return taking[TURNS];
  }

  /** Begins a request now, or in a later turn; not at all if it is reset before. */
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

  /** @returns how many requests it has begun */
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

/** The connections of which requests wait. Whose turn is next stands first. */
const row = new PassingRow<StreamTurns>();
let isScheduled = false;

function stand(one: StreamTurns): void {
  row.add(one);
  schedule();
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(beginWaiting);
}

/** Each connection has a turn, or is the first to have one in the next turn of the loop. */
function beginWaiting(): void {
  isScheduled = false;
  for (let left = row.size, begun = 0; left > 0 && begun < BEGUN_LATE_PER_TURN; left -= 1) {
    const place = row.first as RowPlace<StreamTurns>;
    row.delete(place);
    begun += place.item.beginWaiting();
    if (place.item.isWaiting) row.add(place.item);
  }
  if (row.size > 0) schedule();
}

let turns = 0;
let isCounted = false;

/** The same number until the event loop has turned. */
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
