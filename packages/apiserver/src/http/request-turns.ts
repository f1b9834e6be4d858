// HTTP/1.1 clients may send requests before earlier ones are answered. Those are worked on one after the other, as their answers
// are sent: however many a client sends at once, it has one request in work, and what it leaves behind when it goes was never begun.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that wait on one connection; who sends more is no client of this world. */
const WAITING_MAX = 128;

const TURNS = Symbol("turns");

interface TakingTurns extends Socket {
  [TURNS]?: RequestTurns;
}

export class RequestTurns {
  /** What the connection is used for now. */
  answering: ServerResponse | undefined;
  private readonly waiting = new Map<ServerResponse, () => void>();
  private readonly after: (() => void)[] = [];

  private constructor(private readonly socket: Socket) {}

  static of(socket: TakingTurns): RequestTurns {
    let turns = socket[TURNS];
    if (turns === undefined) {
      turns = new RequestTurns(socket);
      socket[TURNS] = turns;
    }
    return turns;
  }

  /** Whether anything waits for the answers to all requests; until then nobody reads the connection. */
  get isAwaited(): boolean {
    return this.after.length > 0;
  }

  /** Called once the connection is there for the response. */
  begins(response: ServerResponse): void {
    this.answering = response;
    if (this.waiting.size === 0) return;
    const start = this.waiting.get(response);
    if (start === undefined) return;
    this.waiting.delete(response);
    this.soon(start);
  }

  /** Called when the response has been sent. */
  ends(): void {
    this.answering = undefined;
    if (this.after.length > 0) this.soon(() => this.runAfter());
  }

  /** Starts work on a request when everything before it has been answered. */
  await(response: ServerResponse, start: () => void): void {
    this.waiting.set(response, start);
    if (this.waiting.size > WAITING_MAX) this.socket.destroy();
  }

  /** Acts when all requests that have come in so far are answered; at once if they are. Not at all if the client leaves first. */
  afterAnswers(act: () => void): void {
    this.after.push(act);
    if (this.answering === undefined) this.runAfter();
  }

  private runAfter(): void {
    if (this.answering !== undefined) return;
    for (const act of this.after.splice(0)) act();
  }

  /** In a turn of the event loop of its own, so that others come to theirs. */
  private soon(act: () => void): void {
    setImmediate(() => {
      if (!this.socket.destroyed) act();
    });
  }
}
