// Signal that ends a request at its timeout or when the caller's signal ends.

import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "@orch/platform";

/** The server has not answered in time. The effect of the request is unknown. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

export interface RequestBound {
  readonly signal: AbortSignal;
  /** Removes the timeout once the response has begun. The caller's signal still ends the body. */
  liftFor(body: Readable): void;
  /**
   * Removes the listener on the caller's signal at the end of the attempt. After `liftFor`, the end of the body does
   * so.
   */
  release(): void;
}

export function requestBound(clock: Clock, timeoutMs: number, signal: AbortSignal | undefined): RequestBound {
  const controller = new AbortController();
  const ended = () => controller.abort(signal?.reason);
  const cancel = clock.after(timeoutMs, () =>
    controller.abort(new TimeoutError(`no answer within ${Math.round(timeoutMs)} ms`)),
  );
  if (signal !== undefined) setMaxListeners(0, signal); // one signal may stop a whole program
  if (signal?.aborted === true) ended();
  else signal?.addEventListener("abort", ended, { once: true });
  const detach = () => signal?.removeEventListener("abort", ended);
  let lifted = false;
  return {
    signal: controller.signal,
    liftFor: (body) => {
      lifted = true;
      cancel();
      body.once("close", detach);
    },
    release: () => {
      if (lifted) return;
      cancel();
      detach();
    },
  };
}
