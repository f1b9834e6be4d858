// Records a step of a plugin in the trace of the request.
import type { AdmissionRequest } from "@orch/machinery";
import { spanning, type TraceSpan } from "@orch/platform";

/** Runs a step under a span of its own, which the calls of the plugin continue. Stays synchronous when the step is. */
export function spannedStep(
  parent: TraceSpan,
  step: { readonly plugin: string; readonly phase: "admit" | "validate"; readonly round: number },
  request: AdmissionRequest,
  run: () => void | Promise<void>,
): void | Promise<void> {
  const { operation, subresource } = request;
  const attributes = { ...step, operation, subresource };
  const span = parent.child(`admission/${step.plugin}`, attributes);
  request.span = span;
  const leave = (): void => {
    request.span = parent;
  };
  let late: void | Promise<void>;
  try {
    late = spanning(span, run);
  } catch (error) {
    leave();
    throw error;
  }
  if (late === undefined) {
    leave();
    return;
  }
  return late.finally(leave);
}
