// Turns of the event loop in which expressions of policies and match conditions are compiled and evaluated.
import { EventLoopYielder } from "@orch/platform";

/**
 * Maximum duration of the evaluations of all requests in one turn, in milliseconds. Another request waits no longer.
 */
const SLICE_MS = 5;

/** Shared by all servers of the process, because they share its event loop. */
export const EVALUATION_YIELDER = new EventLoopYielder({ sliceMs: SLICE_MS });
