// Pipelined requests of HTTP/1.1 are handled one after the other, as their answers are sent: a connection has one
// request in progress, and requests that wait when the client leaves are never started.
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Maximum number of waiting requests per connection. */
const WAITING_MAX = 128;

const TURNS = Symbol("turns");

interface TakingTurns extends Socket {
  [TURNS]?: RequestQueue;
}

export class RequestQueue {
  /** Response in progress. */
  answering: ServerResponse | undefined;
  private readonly waiting = new Map<ServerResponse, () => void>();
  private readonly after: (() => void)[] = [];

  private constructor(private readonly socket: Socket) {}

  static of(socket: TakingTurns): RequestQueue {
    let turns = socket[TURNS];
    if (turns === undefined) {
      turns = new RequestQueue(socket);
      socket[TURNS] = turns;
    }
    return turns;
  }

  /** Whether an action waits for the answers to all requests; until then the connection is not read. */
  get isAwaited(): boolean {
    return this.after.length > 0;
  }

  /** Called when the connection is assigned to the response. */
  begins(response: ServerResponse): void {
    this.answering = response;
    if (this.waiting.size === 0) return;
    const start = this.waiting.get(response);
    if (start === undefined) return;
    this.waiting.delete(response);
    this.soon(start);
  }

  /** Called when the response was sent. */
  ends(): void {
    this.answering = undefined;
    if (this.after.length > 0) this.soon(() => this.runAfter());
  }

  /** Starts a request when all earlier ones have been answered. */
  await(response: ServerResponse, start: () => void): void {
    this.waiting.set(response, start);
    if (this.waiting.size > WAITING_MAX) this.socket.destroy();
  }

  /**
   * Runs the action when all received requests are answered, at once if they are; not at all if the client leaves
   * first.
   */
  afterAnswers(act: () => void): void {
    this.after.push(act);
    if (this.answering === undefined) this.runAfter();
  }

  private runAfter(): void {
    if (this.answering !== undefined) return;
    for (const act of this.after.splice(0)) act();
  }

  /** Runs in a later turn of the event loop, so that other connections get theirs. */
  private soon(act: () => void): void {
    setImmediate(() => {
      if (!this.socket.destroyed) act();
    });
  }
}
