// Records what a plugin makes of a request in the request's admission trace.
import {
  type AdmissionTrace,
  copyJson,
  jsonDifference,
  type MutableAdmissionRequest,
  StatusError,
  type TracedStep,
} from "@orch/machinery";
import type { JsonArray, JsonObject } from "@orch/schema";
import { NotReadyError } from "../contract/refusal";

type Step = Pick<TracedStep, "phase" | "round" | "plugin">;

/** Runs `run`, records its decision and patch, and throws what it throws. */
export async function tracedStep(
  trace: AdmissionTrace,
  step: Step,
  request: Pick<MutableAdmissionRequest, "object">,
  run: () => void | Promise<void>,
): Promise<void> {
  const before = request.object && copyJson(request.object);
  const startMs = performance.now();
  const tell = (of: Pick<TracedStep, "decision" | "code" | "message" | "patch">) =>
    trace.tell({ ...step, ...of, seconds: (performance.now() - startMs) / 1000 });
  try {
    await run();
  } catch (error) {
    tell(refusal(error));
    throw error;
  }
  const patch = step.phase === "admit" ? patchBetween(before, request.object) : NOTHING;
  tell({ decision: "allowed", ...(patch.length > 0 && { patch }) });
}

const NOTHING: JsonArray = [];

function patchBetween(before: JsonObject | undefined, after: JsonObject | undefined): JsonArray {
  return before === undefined || after === undefined ? NOTHING : jsonDifference(before, after);
}

function refusal(error: unknown): Pick<TracedStep, "decision" | "code" | "message"> {
  if (error instanceof StatusError) return { decision: "denied", code: error.code, message: error.message };
  const message = error instanceof NotReadyError ? error.message : "the plugin failed";
  return { decision: "failed", code: error instanceof NotReadyError ? 403 : 500, message };
}
