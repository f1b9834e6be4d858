// The start of a watch: the position in the changes where it begins, and the state that it sends first. Source:
// Kubernetes API concepts, "Resource versions" and "Streaming lists".

import { EXPIRED_TEXT, expired, resourceText, type StatusError } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { ResourceContext } from "../context/resource-context";
import type { ReadOptions, WatchRequest, WatchStart } from "../contract/operations";
import type { SharedWatch } from "../contract/several-resources";
import { MergedWatcher } from "../watch/merged-watcher";
import { CacheWatcher, type WatcherStart } from "../watch/watcher";
import { awaitCache, currentRevision } from "./freshness";

/** How long a watch waits for a server that has just started or is behind, unless the request's timeout is shorter. */
const START_WAIT_MS = 60_000;

interface StartBound {
  readonly timeoutMs: number;
  readonly signal: EndSignal | undefined;
}

/**
 * Starts a watch. A compacted version does not fail the call: the watcher reports it by an ERROR event.
 * @throws StatusError ServerTimeout when the store cannot tell its newest state
 * @throws StatusError Timeout when this server does not reach that state in time
 */
export async function watch(
  context: ResourceContext,
  request: WatchRequest,
  { signal }: ReadOptions = {},
): Promise<CacheWatcher> {
  const begin = await awaitBegin(context, request, signal);
  // No await between here and the creation of the watcher: it begins at the cache's present position.
  return begun(context, request, begin);
}

export interface PartOfWatch extends Pick<WatchRequest, "namespace" | "selection" | "version"> {
  readonly context: ResourceContext;
}

/**
 * Starts a watch of several resources of one store; see `Registry.watchTogether`.
 * @param parts at least one
 */
export async function watchTogether(
  parts: readonly [PartOfWatch, ...PartOfWatch[]],
  request: SharedWatch,
  { signal }: ReadOptions = {},
): Promise<MergedWatcher> {
  const [{ context }] = parts;
  const { watchCache, clock, vocabulary } = context;
  const begin = await awaitBegin(context, request, signal);
  // No await between here and the creation of the watchers: the states of all resources are of one revision.
  const each = { ...request, sendInitialEvents: false, bookmarks: false, timeoutMs: Number.POSITIVE_INFINITY };
  const watchers = parts.map(({ context: of, ...part }) => begun(of, { ...each, ...part }, begin));
  const startRevision =
    begin.withState || request.start.kind !== "exact" ? watchCache.revision : request.start.resourceVersion;
  return new MergedWatcher(watchers, {
    clock,
    revision: () => watchCache.revision,
    startRevision,
    bookmarks: request.bookmarks,
    endMark: request.sendInitialEvents && request.bookmarks ? vocabulary.annotations.initialEventsEnd : undefined,
    timeoutMs: request.timeoutMs,
  });
}

interface Begin {
  /** Whether the watch sends the present state first. */
  readonly withState: boolean;
  /** Error that the watch reports in place of events. */
  readonly lost: StatusError | undefined;
}

/** Resolves when the cache holds the position where a watch begins. */
async function awaitBegin(
  context: ResourceContext,
  { start, sendInitialEvents, changesOnly, timeoutMs }: SharedWatch,
  signal: EndSignal | undefined,
): Promise<Begin> {
  const bound = { timeoutMs: Math.min(timeoutMs, START_WAIT_MS), signal };
  await awaitCache(context, { kind: "any" }, bound);
  const withState = sendInitialEvents || (start.kind !== "exact" && changesOnly !== true);
  return { withState, lost: await awaitStart(context, start, { withState, bound }) };
}

/** Creates the watcher at the present position of the cache. */
function begun(context: ResourceContext, request: WatchRequest, { withState, lost }: Begin): CacheWatcher {
  const start = withState ? fromState(context, request) : fromChanges(context, request.start);
  const watcher = new CacheWatcher(context.cache, request, start);
  if (lost !== undefined) watcher.fail(lost);
  if (withState) context.observer.watchPrimed?.(resourceText(context.resource), watcher.initialCount);
  context.watchCache.watcherAdded();
  return watcher;
}

/**
 * Waits until the cache has reached the start of the watch. A future version is not waited for.
 * @returns the error for a start in a history that a restore of the store has undone
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
  // Only the cache can continue from a state to the changes that follow it. Unlike a list, a watch cannot fall back to
  // the store.
  if (withState) await awaitCache(context, { kind: "notOlderThan", resourceVersion: requested }, bound);
  const { revision, undoneTo } = context.watchCache;
  if (requested <= revision || requested > undoneTo) return undefined;
  // The cache may not have received the latest writes yet.
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
