// A request that ends with a signal. The run time's own way to that end costs more than the rest of what a short request is.
import type { StopSignal } from "@orch/platform";

interface Stoppable {
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Nothing is left behind on the signal when the request is over. */
export function stopWith(signal: StopSignal, request: Stoppable): void {
  const stop = () => request.destroy(new Error("the request was ended"));
  if (signal.aborted) {
    stop();
    return;
  }
  signal.addEventListener("abort", stop);
  request.once("close", () => signal.removeEventListener("abort", stop));
}
