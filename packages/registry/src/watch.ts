// The start of a watch: where in the changes it begins, and with which state.
// Source: resource-api, "Resource version semantics", the watch table.

import { serverTimeout } from "@orch/machinery";
import { awaitFreshness } from "./freshness";
import type { ReadOptions, WatchRequest, WatchStart } from "./registry";
import type { ResourceContext } from "./resource-context";
import { CacheWatcher, type WatcherStart } from "./watcher";

/** How long a watch waits for a server that has just started. */
const FILL_WAIT_MS = 3_000;

/**
 * A version that is gone is no failure of the call: its watcher says so by an ERROR event.
 * @throws StatusError ServerTimeout when the store cannot say which state is the newest
 */
export async function watch(
  context: ResourceContext,
  request: WatchRequest,
  { signal }: ReadOptions = {},
): Promise<CacheWatcher> {
  const { watchCache, resource } = context;
  const bound = { timeoutMs: FILL_WAIT_MS, signal };
  if (watchCache.revision === 0 && !(await watchCache.waitFor(1, bound))) throw serverTimeout(resource, "list");
  const withState = request.sendInitialEvents || (request.start.kind !== "exact" && request.changesOnly !== true);
  const start = withState ? await stateAt(context, request, signal) : await changesFrom(context, request.start, signal);
  const watcher = new CacheWatcher(context.cache, request, start);
  context.watchCache.watcherAdded();
  return watcher;
}

async function stateAt(
  context: ResourceContext,
  { start, sendInitialEvents }: WatchRequest,
  signal: AbortSignal | undefined,
): Promise<WatcherStart> {
  await reach(context, start, signal);
  const { cache, vocabulary } = context;
  const endMark = sendInitialEvents ? vocabulary.annotations.initialEventsEnd : undefined;
  return { stage: "initial", tree: cache.tree, revision: cache.revision, endMark };
}

async function changesFrom(
  context: ResourceContext,
  start: WatchStart,
  signal: AbortSignal | undefined,
): Promise<WatcherStart> {
  const { cache, keys, history } = context;
  if (start.kind !== "exact") {
    await reach(context, start, signal);
    return { stage: "live", revision: cache.revision };
  }
  const revision = start.resourceVersion;
  return revision >= cache.ring.startRevision
    ? { stage: "live", revision }
    : { stage: "replay", revision, history: (after) => history.read(cache, keys, after) };
}

/** Only the cache can go on from a state to what follows: there is no way around it as for lists. */
async function reach(context: ResourceContext, start: WatchStart, signal: AbortSignal | undefined): Promise<void> {
  const read = start.kind === "exact" ? ({ ...start, kind: "notOlderThan" } as const) : start;
  const source = await awaitFreshness(context, "list", read, signal);
  if (source === "store") throw serverTimeout(context.resource, "list");
}
