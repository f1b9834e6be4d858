// The requests under way. A shutdown waits for them, and one periodic sweep enforces their time limits, so that no
// request needs a timer of its own.

import { giveUpBody, RequestQueue } from "@orch/http-server";
import { StatusError, TIMEOUT_TEXT, timeout } from "@orch/machinery";
import { IndexedBag } from "@orch/platform";
import { type ApiResponse, answerError, type Middleware } from "@orch/request";
import type { UnreadAnswers } from "./unread-answers";

const SWEEP_MS = 250;
/** Requests without a time limit are checked once in this number of sweeps. */
const SWEEPS_PER_LONG_LOOK = 4;
/** Maximum pause between pieces of a request body. */
const BODY_PAUSE_MS = 10_000;
/** Time for a complete answer to leave after its time limit. */
const LAST_BYTES_MS = 2_000;

export interface ActiveRequestsOptions {
  /** `--request-timeout`. */
  readonly requestTimeoutMs: number;
  readonly unread: UnreadAnswers;
  /** Called for each request that is answered 504. */
  timedOut(response: ApiResponse): void;
  /** Called for each answer that is cut off after its headers. */
  aborted(response: ApiResponse): void;
  /** Called when the check of a request fails; the other requests are still checked. */
  failed(response: ApiResponse, error: unknown): void;
  /** Called when a long-running request begins (+1) and ends (-1). */
  longRunning(response: ApiResponse, change: 1 | -1): void;
}

export class ActiveRequests {
  private readonly short = new IndexedBag<ApiResponse>(placeOf);
  private readonly long = new IndexedBag<ApiResponse>(placeOf);
  private sweeper: NodeJS.Timeout | undefined;
  private sweeps = 0;
  private whenLess: (() => void) | undefined;
  private readonly leave: (this: ApiResponse) => void;

  constructor(private readonly options: ActiveRequestsOptions) {
    const active = this;
    this.leave = function () {
      active.left(this);
    };
  }

  /** Tracks a request until its end. */
  enter(response: ApiResponse): void {
    const { requestTimeoutMs } = this.options;
    const { context } = response.req;
    context.deadline = context.receivedAt + requestTimeoutMs;
    context.timeoutMs = requestTimeoutMs;
    context.connection.begin();
    this.short.add(response);
    this.sweeper ??= setInterval(() => this.sweep(performance.now()), SWEEP_MS).unref();
    response.on("close", this.leave);
  }

  /** Number of requests with a time limit. */
  get shortOnes(): number {
    return this.short.size;
  }

  /** Marks requests without a time limit. */
  step(): Middleware {
    return (request, response, next) => {
      if (request.context.info.longRunning && this.short.delete(response)) {
        this.long.add(response);
        this.options.longRunning(response, 1);
        if (request.httpVersionMajor === 1 && RequestQueue.of(request.socket).isAwaited) {
          // Waiting for its end would never finish.
          request.socket.destroy();
          return;
        }
      }
      next();
    };
  }

  private left(response: ApiResponse): void {
    const { context } = response.req;
    const { connection, end, audit } = context;
    // Over HTTP/1.1 the connection ends with the request.
    if (!end.aborted && !response.writableEnded && response.req.httpVersionMajor === 2) connection.abandoned();
    end.abort();
    connection.end();
    if (!this.short.delete(response) && this.long.delete(response)) this.options.longRunning(response, -1);
    audit?.ended();
    this.whenLess?.();
  }

  private sweep(nowMs: number): void {
    if (this.short.size === 0 && this.long.size === 0) {
      clearInterval(this.sweeper);
      this.sweeper = undefined;
      this.options.unread.begin();
      return;
    }
    const { unread } = this.options;
    unread.begin();
    this.short.forEach((response) => {
      this.lookAfter(response, () => {
        this.keepToTime(response, nowMs);
        unread.look(response, true);
      });
    });
    this.sweeps += 1;
    if (this.sweeps % SWEEPS_PER_LONG_LOOK === 0) {
      this.long.forEach((response) => {
        this.lookAfter(response, () => unread.look(response, false));
      });
    }
    unread.end();
  }

  private lookAfter(response: ApiResponse, look: () => void): void {
    try {
      look();
    } catch (error) {
      this.options.failed(response, error);
    }
  }

  private keepToTime(response: ApiResponse, nowMs: number): void {
    const { context } = response.req;
    const { receivingSince, deadline } = context;
    if (receivingSince !== 0 && nowMs - receivingSince >= BODY_PAUSE_MS) {
      context.receivingSince = 0;
      giveUpBody(response);
      // The start of the next request in the stream is unknown.
      if (response.req.httpVersionMajor === 1) response.shouldKeepAlive = false;
      answerError(response, bodyMissing());
      return;
    }
    if (nowMs < deadline + (response.writableEnded ? LAST_BYTES_MS : 0)) return;
    context.deadline = Number.POSITIVE_INFINITY;
    if (response.headersSent) {
      this.options.aborted(response);
      // After the headers, only closing the stream tells the client that the answer is incomplete.
      response.destroy();
    } else {
      this.options.timedOut(response);
      const { timeoutFromClient, timeoutMs } = context;
      answerError(response, timeout((timeoutFromClient ? TIMEOUT_TEXT.requested : TIMEOUT_TEXT.server)(timeoutMs)));
    }
    context.end.abort();
    context.leaveWork();
  }

  get size(): number {
    return this.short.size + this.long.size;
  }

  /** Open watches and other streams. */
  longRunning(): readonly ApiResponse[] {
    return [...this.long.all];
  }

  /**
   * Resolves when no request is under way, or the time bounds are over: one for requests, one for streams that have
   * been ended.
   * @param late when aborted, requests are not waited for any longer
   */
  async idle(requestsBoundMs: number, streamsBoundMs: number, late: AbortSignal): Promise<void> {
    await this.until(() => this.short.size === 0 || late.aborted, requestsBoundMs, late);
    await this.until(() => this.long.size === 0, streamsBoundMs);
  }

  private async until(holds: () => boolean, boundMs: number, late?: AbortSignal): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const bound = setTimeout(resolve, boundMs);
      this.whenLess = () => {
        if (!holds()) return;
        clearTimeout(bound);
        resolve();
      };
      late?.addEventListener("abort", this.whenLess, { once: true });
    });
    this.whenLess = undefined;
  }

  close(): void {
    clearInterval(this.sweeper);
  }
}

const placeOf = ({ req }: ApiResponse) => req.context;

const bodyMissing = (): StatusError =>
  new StatusError("", "the rest of the request body did not arrive in time", undefined, { code: 408 });
