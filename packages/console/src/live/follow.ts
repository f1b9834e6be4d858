// Live changes of resources. Pages know this function only; whether several watches share a connection is behind it.
import type { ChangeListener, WatchTarget } from "./changes";
import { singleWatch } from "./single-watch";

/** Follows the changes until the returned function is called. A lost connection is opened again where it ended. */
export function follow(target: WatchTarget, listener: ChangeListener): () => void {
  return singleWatch(target, listener);
}
