// The requests that are being answered: what a shutdown waits for, and what the time limit is watched over. One sweep looks at
// all of them, so that a request costs no timer of its own.
import { TIMEOUT_TEXT, timeout } from "@orch/machinery";
import { answerError } from "../http/answer";
import type { ApiResponse, Middleware } from "./request-context";

const SWEEP_MS = 250;

export interface ActiveRequestsOptions {
  /** `--request-timeout`. */
  readonly requestTimeoutMs: number;
  /** Called for each request that was answered 504. */
  timedOut(response: ApiResponse): void;
  /** Called for each whose answer had begun, and was broken off. */
  aborted(response: ApiResponse): void;
  /** Called when a long-running request begins (+1) and ends (-1). */
  longRunning(response: ApiResponse, change: 1 | -1): void;
}

export class ActiveRequests {
  private readonly short = new Set<ApiResponse>();
  private readonly long = new Set<ApiResponse>();
  private sweeper: NodeJS.Timeout | undefined;
  private whenLess: (() => void) | undefined;

  constructor(private readonly options: ActiveRequestsOptions) {}

  /** Follows every request from here to its end. */
  step(): Middleware {
    const { requestTimeoutMs } = this.options;
    const leave = this.leaver();
    return (request, response, next) => {
      const { context } = request;
      if (context.info.longRunning) {
        this.long.add(response);
        this.options.longRunning(response, 1);
      } else {
        context.deadline = context.receivedAt + requestTimeoutMs;
        context.timeoutMs = requestTimeoutMs;
        this.short.add(response);
        this.sweeper ??= setInterval(() => this.sweep(performance.now()), SWEEP_MS).unref();
      }
      response.on("close", leave);
      next();
    };
  }

  private leaver(): (this: ApiResponse) => void {
    const active = this;
    return function (this: ApiResponse) {
      if (!active.short.delete(this) && active.long.delete(this)) active.options.longRunning(this, -1);
      active.whenLess?.();
    };
  }

  private sweep(nowMs: number): void {
    if (this.short.size === 0) {
      clearInterval(this.sweeper);
      this.sweeper = undefined;
    }
    for (const response of this.short) {
      const { context } = response.req;
      if (nowMs < context.deadline) continue;
      context.deadline = Number.POSITIVE_INFINITY;
      if (response.headersSent) {
        this.options.aborted(response);
        // After the head, only breaking off can tell the client that the answer is not whole.
        response.destroy();
      } else {
        this.options.timedOut(response);
        const { timeoutFromClient, timeoutMs } = context;
        answerError(response, timeout((timeoutFromClient ? TIMEOUT_TEXT.requested : TIMEOUT_TEXT.server)(timeoutMs)));
      }
    }
  }

  /** Open watches and other streams. */
  longRunning(): Iterable<ApiResponse> {
    return this.long;
  }

  /** The connections that something is being answered on. */
  connections(): ReadonlySet<unknown> {
    return new Set([...this.short, ...this.long].map((response) => response.req.socket));
  }

  /** Resolves once nothing is being answered, or the bounds have passed: one for requests, one for streams that have been ended. */
  async idle(requestsBoundMs: number, streamsBoundMs: number): Promise<void> {
    await this.until(() => this.short.size === 0, requestsBoundMs);
    await this.until(() => this.long.size === 0, streamsBoundMs);
  }

  private async until(holds: () => boolean, boundMs: number): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const bound = setTimeout(resolve, boundMs);
      this.whenLess = () => {
        if (!holds()) return;
        clearTimeout(bound);
        resolve();
      };
    });
    this.whenLess = undefined;
  }

  close(): void {
    clearInterval(this.sweeper);
  }
}
