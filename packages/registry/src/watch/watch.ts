// The start of a watch: where in the changes it begins, and with which state.
// Source: resource-api, "Resource version semantics", the watch table.

import { EXPIRED_TEXT, expired, resourceText, type StatusError } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { awaitCache, currentRevision } from "../read/freshness";
import type { ReadOptions, WatchRequest, WatchStart } from "../registry";
import type { ResourceContext } from "../resource-context";
import { CacheWatcher, type WatcherStart } from "./watcher";

/** How long a watch waits for a server that has just started or is behind, unless it is to last less. */
const START_WAIT_MS = 60_000;

interface StartBound {
  readonly timeoutMs: number;
  readonly signal: EndSignal | undefined;
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
  const lost = await awaitStart(context, request.start, { withState, bound });
  // From here to the watcher nothing is waited for: it begins where the cache is now.
  const start = withState ? fromState(context, request) : fromChanges(context, request.start);
  const watcher = new CacheWatcher(context.cache, request, start);
  if (lost !== undefined) watcher.fail(lost);
  if (withState) context.observer.watchPrimed?.(resourceText(context.resource), watcher.initialCount);
  context.watchCache.watcherAdded();
  return watcher;
}

/**
 * Waits until the cache is as new as the watch is to begin; a version that is still to come is not waited for.
 * @returns the end of a watch whose beginning was of a history that a restoration of the store has undone
 */
async function awaitStart(
  context: ResourceContext,
  start: WatchStart,
  { withState, bound }: { readonly withState: boolean; readonly bound: StartBound },
): Promise<StatusError | undefined> {
  if (start.kind !== "exact") {
    await awaitCache(context, start, bound);
    return undefined;
  }
  const { resourceVersion: requested } = start;
  // Only the cache can go on from a state to what follows: there is no way around it as for lists.
  if (withState) await awaitCache(context, { kind: "notOlderThan", resourceVersion: requested }, bound);
  const { revision, undoneTo } = context.watchCache;
  if (requested <= revision || requested > undoneTo) return undefined;
  // What has been written since may not have come here yet.
  const current = await currentRevision(context, "list");
  return requested > current ? expired(EXPIRED_TEXT.watchCache({ requested, oldest: current })) : undefined;
}

function fromState({ cache, vocabulary }: ResourceContext, request: WatchRequest): WatcherStart {
  const { sendInitialEvents, bookmarks, selection } = request;
  const endMark = sendInitialEvents && bookmarks ? vocabulary.annotations.initialEventsEnd : undefined;
  return { stage: "initial", ...cache.state(selection), endMark };
}

function fromChanges({ cache, keys, history }: ResourceContext, start: WatchStart): WatcherStart {
  const revision = start.kind === "exact" ? start.resourceVersion : cache.revision;
  const sequence = cache.ring.positionAfter(revision);
  return sequence === undefined
    ? { stage: "replay", revision, history: (after) => history.read(cache, keys, after) }
    : { stage: "live", revision, sequence };
}
