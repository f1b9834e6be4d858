// An HTTP/1.1 connection: one request at a time, without pipelining.
import type { Socket } from "node:net";
import type { StopSignal } from "@orch/platform";
import { type AnswerHead, AnswerReader, type AnswerSink } from "./http1-answer";
import { Http1Body } from "./http1-body";
import { ConnectionError, type TransportResponse } from "./transport";

export interface Http1ConnectionDeps {
  /** Called when the connection can take another request. @param keptMs keep-alive timeout announced by the server */
  readonly idle: (connection: Http1Connection, keptMs: number) => void;
  /** Called once when the connection is unusable. */
  readonly closed: (connection: Http1Connection) => void;
}

interface Exchange {
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: StopSignal;
  readonly onKeptConnection: boolean;
  body: Http1Body | undefined;
}

/** Pieces sent one after the other. */
type Sent = readonly Buffer[];

export class Http1Connection implements AnswerSink {
  private readonly reader = new AnswerReader(this);
  private exchange: Exchange | undefined;
  private isAnswered = false;
  private persists = true;
  private keptMs = Number.POSITIVE_INFINITY;
  private answered = 0;
  private isClosed = false;
  private isPaused = false;
  /** Request that waits for the connection to open; undefined when it is open. */
  private unsent: Sent | undefined;

  /** Undefined until the connection is open below TLS. */
  private socket: Socket | undefined;

  /**
   * @param socket the connection, or a promise of an open one
   * @param opening event after which requests may be written, with the peer verified; absent: the connection is open
   */
  constructor(
    socket: Socket | Promise<Socket>,
    private readonly deps: Http1ConnectionDeps,
    opening?: "connect" | "secureConnect",
  ) {
    if (socket instanceof Promise) {
      this.unsent = [];
      socket.then(
        (made) => (this.isClosed ? made.destroy() : this.use(made)),
        (error: Error) => this.close(error),
      );
    } else this.use(socket, opening);
  }

  private use(socket: Socket, opening?: "connect" | "secureConnect"): void {
    this.socket = socket;
    if (opening === undefined) this.opened();
    else {
      this.unsent = [];
      socket.once(opening, () => this.opened());
    }
    socket.on("data", (data: Buffer) => this.take(data));
    socket.on("error", (error) => this.close(error));
    socket.once("end", () => this.ended());
    socket.once("close", () => this.close(hungUp()));
  }

  request(sent: Sent, { method, signal }: { readonly method: string; readonly signal: StopSignal }) {
    return new Promise<TransportResponse>((resolve, reject) => {
      this.exchange = { resolve, reject, signal, onKeptConnection: this.answered > 0, body: undefined };
      this.reader.expect(method);
      signal.addEventListener("abort", this.stop);
      if (signal.aborted) this.stop();
      else if (this.unsent === undefined) this.write(sent);
      else this.unsent = sent;
    });
  }

  destroy(): void {
    this.close(hungUp());
  }

  head({ status, headers, persists }: AnswerHead): void {
    this.persists = persists;
    this.keptMs = keptMsOf(headers["keep-alive"]);
    const body = new Http1Body(this);
    if (this.exchange === undefined) return;
    this.exchange.body = body;
    this.exchange.resolve({ status, headers, body });
  }

  piece(data: Buffer, start: number, end: number): void {
    this.exchange?.body?.add(data, start, end);
  }

  end(): void {
    this.isAnswered = true;
    this.exchange?.body?.complete();
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.socket?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.socket?.resume();
  }

  private readonly stop = (): void => this.close(new Error("the request was canceled"));

  private opened(): void {
    const sent = this.unsent ?? [];
    this.unsent = undefined;
    // The pool keeps the process alive while a response is awaited.
    this.socket?.unref();
    this.write(sent);
  }

  private write(sent: Sent): void {
    for (const piece of sent) this.socket?.write(piece);
  }

  /** Handles received bytes. @param data may be reused afterwards */
  take(data: Buffer): void {
    if (this.isClosed) return;
    try {
      this.reader.take(data);
    } catch (error) {
      this.close(error);
      return;
    }
    // The connection is released only after all input was parsed: bytes after a response do not belong to the next one.
    if (this.isAnswered) this.release();
  }

  private ended(): void {
    // An error event gives the reason when the connection could not be opened.
    if (this.unsent !== undefined) return;
    if (this.reader.finish()) this.release();
    else this.close(hungUp());
  }

  private release(): void {
    this.isAnswered = false;
    this.answered += 1;
    this.exchange?.signal.removeEventListener("abort", this.stop);
    this.exchange = undefined;
    this.resume();
    if (this.persists && this.unwritten() > 0) setImmediate(this.keep);
    else this.keep();
  }

  /**
   * Keeps or closes the connection. TLS reports sent bytes only in the next turn, and the response may be faster. A
   * server that answers before the whole request was sent does not read the rest.
   */
  private readonly keep = (): void => {
    if (this.isClosed) return;
    if (this.persists && this.unwritten() === 0) this.deps.idle(this, this.keptMs);
    else this.close(undefined);
  };

  private readonly unwritten = (): number => this.socket?.writableLength ?? 0;

  private close(cause: unknown): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { exchange } = this;
    this.exchange = undefined;
    this.socket?.destroy();
    if (exchange !== undefined) {
      const { signal, body, reject } = exchange;
      signal.removeEventListener("abort", this.stop);
      if (body !== undefined) body.lose(cause);
      else reject(signal.aborted ? signal.reason : failure(cause, exchange));
    }
    this.deps.closed(this);
  }
}

const hungUp = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

/**
 * Safety margin: a connection used at the very end of its keep-alive timeout may be closed when the request arrives.
 */
const MARGIN_MS = 1000;

function keptMsOf(header = ""): number {
  const [, seconds] = /\btimeout=(\d{1,9})/.exec(header) ?? [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 - MARGIN_MS;
}

const NEVER_CONNECTED: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "EEGRESS",
  "EPROXYREFUSED",
]);

function failure(thrown: unknown, { onKeptConnection }: Pick<Exchange, "onKeptConnection">): ConnectionError {
  const cause = thrown as NodeJS.ErrnoException;
  const where = onKeptConnection ? "on a kept connection" : "on a new connection";
  return new ConnectionError(`the request failed ${where}: ${cause.message}`, {
    cause,
    notProcessed: NEVER_CONNECTED.has(cause.code),
    onKeptConnection,
  });
}
