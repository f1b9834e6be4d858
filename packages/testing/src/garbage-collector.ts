import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the function that `node --expose-gc` provides. */
export function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
