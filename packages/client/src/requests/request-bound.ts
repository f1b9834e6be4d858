// How long a request may take, and who may end it: one signal for both.

import { setMaxListeners } from "node:events";
import type { Readable } from "node:stream";
import type { Clock } from "@orch/platform";

/** The server has not answered in time; what it did with the request is not known. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

export interface RequestBound {
  readonly signal: AbortSignal;
  /** Time no longer matters: the answer has begun, and goes on for as long as it likes. The caller's signal still ends it. */
  liftFor(body: Readable): void;
  /** The try is over: nothing is left behind on the caller's signal. After `liftFor`, the end of the body does that. */
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
