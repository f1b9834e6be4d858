// Ends a request with a signal. The signal option of Node.js costs more than the rest of a short request.
import type { StopSignal } from "@orch/platform";

interface Stoppable {
  destroy(error: Error): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Ends the request when the signal is aborted. The listener is removed when the request ends. */
export function stopWith(signal: StopSignal, request: Stoppable): void {
  const stop = () => request.destroy(new Error("the request was canceled"));
  if (signal.aborted) {
    stop();
    return;
  }
  signal.addEventListener("abort", stop);
  request.once("close", () => signal.removeEventListener("abort", stop));
}
