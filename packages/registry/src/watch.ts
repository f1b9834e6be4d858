// The start of a watch: where in the changes it begins, and with which state.
// Source: resource-api, "Resource version semantics", the watch table.

import { resourceText } from "@orch/machinery";
import type { CallSignal } from "@orch/store";
import { awaitCache } from "./freshness";
import type { ReadOptions, WatchRequest, WatchStart } from "./registry";
import type { ResourceContext } from "./resource-context";
import { CacheWatcher, type WatcherStart } from "./watcher";

/** How long a watch waits for a server that has just started or is behind, unless it is to last less. */
const START_WAIT_MS = 60_000;

interface StartBound {
  readonly timeoutMs: number;
  readonly signal: CallSignal | undefined;
}

/**
 * A version that is gone is no failure of the call: its watcher says so by an ERROR event.
 * @throws StatusError ServerTimeout when the store cannot say which state is the newest
 * @throws StatusError Timeout when this server does not get as far as that in time
 */
export async function watch(
  context: ResourceContext,
  request: WatchRequest,
  { signal }: ReadOptions = {},
): Promise<CacheWatcher> {
  const bound = { timeoutMs: Math.min(request.timeoutMs, START_WAIT_MS), signal };
  await awaitCache(context, { kind: "any" }, bound);
  const withState = request.sendInitialEvents || (request.start.kind !== "exact" && request.changesOnly !== true);
  const start = withState ? await stateAt(context, request, bound) : await changesFrom(context, request.start, bound);
  const watcher = new CacheWatcher(context.cache, request, start);
  if (withState) context.observer.watchPrimed?.(resourceText(context.resource), watcher.initialCount);
  context.watchCache.watcherAdded();
  return watcher;
}

async function stateAt(
  context: ResourceContext,
  { start, sendInitialEvents, bookmarks, selection }: WatchRequest,
  bound: StartBound,
): Promise<WatcherStart> {
  // Only the cache can go on from a state to what follows: there is no way around it as for lists.
  await awaitCache(context, start.kind === "exact" ? { ...start, kind: "notOlderThan" } : start, bound);
  const { cache, vocabulary } = context;
  const endMark = sendInitialEvents && bookmarks ? vocabulary.annotations.initialEventsEnd : undefined;
  return { stage: "initial", tree: cache.narrowed(selection), revision: cache.revision, endMark };
}

async function changesFrom(context: ResourceContext, start: WatchStart, bound: StartBound): Promise<WatcherStart> {
  const { cache, keys, history } = context;
  if (start.kind !== "exact") {
    await awaitCache(context, start, bound);
    return { stage: "live", revision: cache.revision };
  }
  const revision = start.resourceVersion;
  return revision >= cache.ring.startRevision
    ? { stage: "live", revision }
    : { stage: "replay", revision, history: (after) => history.read(cache, keys, after) };
}
