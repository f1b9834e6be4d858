// Live changes of resources. Pages know this function only: what they follow at the same time shares a connection.
import type { ChangeListener, WatchTarget } from "./changes";
import { SharedWatch } from "./shared-watch";
import { singleWatch } from "./single-watch";

/** Watches by the representation of their objects. */
const shared = new Map<string, SharedWatch>();

/** Follows the changes until the returned function is called. A lost connection is opened again where it ended. */
export function follow(target: WatchTarget, listener: ChangeListener): () => void {
  const key = target.accept ?? "";
  const watch = shared.get(key) ?? new SharedWatch(target.accept);
  shared.set(key, watch);
  return watch.has(target) ? singleWatch(target, listener) : watch.follow(target, listener);
}
