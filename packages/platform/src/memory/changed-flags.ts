// Flags of V8 that a running process changes. V8 uses compiled code only under the flags it was compiled with, so that the loader of
// packed modules (bin/packed.js) takes the changes back while it loads a script, in worker threads too.
import { setFlagsFromString } from "node:v8";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** Name that the loader knows. */
const CHANGES = "orch.changedFlags";

/**
 * Sets a flag of V8.
 * @param before the flag as it was; the flags of Node.js have defaults that can be set again
 */
export function changeFlag(before: string, since: string): void {
  setFlagsFromString(since);
  const known = (getEnvironmentData(CHANGES) ?? []) as readonly object[];
  setEnvironmentData(CHANGES, [...known, { before, since }]);
}
