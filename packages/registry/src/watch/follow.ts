// All that there is of a resource, from the cache, and each change from then on: for those inside the server who keep up with it.

import type { ResourceStorage, Selection, Watcher } from "../registry";

/** @param of Default: all of it */
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
