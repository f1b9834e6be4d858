// HTTP/1.1 connections to one address: bounded in number, reused with the most recently used one first.
import type { Clock } from "@orch/platform";
import type { Http1Connection } from "./http1-connection";
import { ConnectionError, type TransportRequest, type TransportResponse } from "./transport";

export interface Http1PoolOptions {
  /** Maximum number of connections. */
  readonly connectionsMax: number;
  /** Maximum number of idle connections. */
  readonly keptMax: number;
  readonly clock: Clock;
  readonly open: (pool: Pick<Http1Pool, "idle" | "closed">) => Http1Connection;
  /** Called when no connection is left. */
  readonly emptied: () => void;
}

const IDLE_MAX_MS = 90_000;
const SWEEP_EVERY_MS = 5_000;

interface Idle {
  readonly connection: Http1Connection;
  readonly untilMs: number;
}

interface Waiting {
  readonly sent: readonly Buffer[];
  readonly request: Pick<TransportRequest, "method" | "signal">;
  readonly resolve: (response: Promise<TransportResponse>) => void;
  readonly reject: (error: ConnectionError) => void;
  /** Stops waiting. */
  readonly leave: () => void;
}

export class Http1Pool {
  private readonly connections = new Set<Http1Connection>();
  /** Ordered by last use, the most recent one last. */
  private idling: Idle[] = [];
  private readonly waiting = new Set<Waiting>();
  /** Timer that closes idle connections. Only running requests keep the process alive. */
  private sweeper: NodeJS.Timeout | undefined;
  private isDrained = false;

  constructor(private readonly options: Http1PoolOptions) {}

  request(sent: readonly Buffer[], request: Waiting["request"]): Promise<TransportResponse> {
    const isFull = () => this.connections.size >= this.options.connectionsMax;
    const connection = this.free() ?? (isFull() ? undefined : this.opened());
    if (connection === undefined) return this.whenFree(sent, request);
    const answer = connection.request(sent, request);
    this.hold();
    return answer;
  }

  /** Called by a connection of this pool that became idle. */
  readonly idle = (connection: Http1Connection, keptMs: number): void => {
    const { clock, keptMax } = this.options;
    const next = this.nextWaiting();
    const forMs = Math.min(keptMs, IDLE_MAX_MS);
    if (next !== undefined) next.resolve(connection.request(next.sent, next.request));
    else if (this.isDrained || forMs <= 0 || this.idling.length >= keptMax) connection.destroy();
    else this.idling.push({ connection, untilMs: clock.elapsed() + forMs });
    this.hold();
  };

  /** Called by a connection of this pool that closed. */
  readonly closed = (connection: Http1Connection): void => {
    this.connections.delete(connection);
    this.idling = this.idling.filter((each) => each.connection !== connection);
    const next = this.nextWaiting();
    if (next !== undefined) next.resolve(this.opened().request(next.sent, next.request));
    this.hold();
  };

  /** Adopts a connection opened elsewhere. */
  adopt(connection: Http1Connection): void {
    this.connections.add(connection);
    this.idle(connection, Number.POSITIVE_INFINITY);
  }

  /** Closes idle connections now and the others after their requests. */
  drain(): void {
    this.isDrained = true;
    for (const { connection } of [...this.idling]) connection.destroy();
  }

  destroy(): void {
    this.isDrained = true;
    for (const { leave, reject } of [...this.waiting]) {
      leave();
      reject(new ConnectionError("the client was closed", { notProcessed: true }));
    }
    for (const connection of [...this.connections]) connection.destroy();
  }

  private whenFree(sent: readonly Buffer[], request: Waiting["request"]): Promise<TransportResponse> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const aborted = (): void => {
        this.waiting.delete(entry);
        reject(signal.reason);
      };
      const leave = (): void => {
        this.waiting.delete(entry);
        signal.removeEventListener("abort", aborted);
      };
      const entry: Waiting = { sent, request, resolve, reject, leave };
      this.waiting.add(entry);
      signal.addEventListener("abort", aborted);
      if (signal.aborted) aborted();
    });
  }

  private free(): Http1Connection | undefined {
    const nowMs = this.options.clock.elapsed();
    for (let last = this.idling.pop(); last !== undefined; last = this.idling.pop()) {
      if (last.untilMs > nowMs) return last.connection;
      last.connection.destroy();
    }
    return undefined;
  }

  private opened(): Http1Connection {
    const connection = this.options.open(this);
    this.connections.add(connection);
    return connection;
  }

  private nextWaiting(): Waiting | undefined {
    const [next] = this.waiting;
    next?.leave();
    return next;
  }

  private hold(): void {
    const busy = this.connections.size - this.idling.length;
    if (this.connections.size > 0) {
      this.sweeper ??= setInterval(() => this.sweep(), SWEEP_EVERY_MS);
      if (busy > 0) this.sweeper.ref();
      else this.sweeper.unref();
    } else {
      clearInterval(this.sweeper);
      this.sweeper = undefined;
      // A new connection may replace the closed one within this turn.
      queueMicrotask(() => {
        if (this.connections.size === 0) this.options.emptied();
      });
    }
  }

  private sweep(): void {
    const nowMs = this.options.clock.elapsed();
    for (const { connection, untilMs } of [...this.idling]) if (untilMs <= nowMs) connection.destroy();
  }
}
