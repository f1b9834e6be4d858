// Watches a resource from inside the server: all present objects from the cache, then each change.

import type { Selection, Watcher } from "../contract/operations";
import type { ResourceStorage } from "../contract/resource-storage";

/** @param of default: all objects */
export function follow(
  storage: ResourceStorage,
  { namespace = "", selection = {} }: { readonly namespace?: string | undefined; readonly selection?: Selection } = {},
): Promise<Watcher> {
  return storage.watch({
    namespace,
    selection,
    start: { kind: "any" },
    sendInitialEvents: false,
    bookmarks: false,
    timeoutMs: Number.MAX_SAFE_INTEGER,
    version: storage.definition.storage,
  });
}
