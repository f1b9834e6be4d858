// Waits until a read may be answered, and decides between cache and store. Source: Kubernetes API concepts, "Resource
// versions"; docs/architecture.md, "Read semantics".

import { type ReadSemantics, type ServerOperation, timeout, tooLargeResourceVersion } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { StoreError } from "@orch/store";
import type { ResourceContext } from "../context/resource-context";
import { readFailure } from "../contract/store-failures";

/** How long a request waits for the cache to reach a revision. */
const WAIT_MS = 3_000;

/**
 * Waits for the cache to be fresh enough for a read.
 * @returns "store" when the cache cannot be fresh enough in time, but the store is
 * @throws StatusError Timeout (504) "Too large resource version" for a version that does not exist yet
 * @throws StatusError ServerTimeout when the store must be asked and does not answer
 * @throws StatusError Timeout when the client gave up
 */
export async function awaitFreshness(
  context: ResourceContext,
  operation: ServerOperation,
  read: ReadSemantics,
  signal: EndSignal | undefined,
): Promise<"cache" | "store"> {
  const { watchCache } = context;
  // A closed cache receives no changes and is never fresh.
  if (context.cache.isClosed) return "store";
  if (!watchCache.follows) return fromStore(context, operation, read);
  switch (read.kind) {
    case "any":
      return watchCache.revision > 0 ? "cache" : "store";
    case "mostRecent": {
      const known = { revision: watchCache.revision, epoch: watchCache.epoch };
      const revision = await currentRevision(context, operation);
      if (!watchCache.isHistoryOf(revision, known)) return "store";
      if (watchCache.revision >= revision) return fromCache(context);
      if (await watchCache.waitFor(revision, { timeoutMs: WAIT_MS, signal })) return fromCache(context);
      requireInterest(context, operation, signal);
      return "store";
    }
    case "notOlderThan":
    case "exact": {
      const wanted = read.resourceVersion;
      if (watchCache.revision >= wanted) return "cache";
      if (await watchCache.waitFor(wanted, { timeoutMs: WAIT_MS, signal })) return fromCache(context);
      requireInterest(context, operation, signal);
      return fromStore(context, operation, read);
    }
  }
}

/** The cache may have been closed during the wait. */
const fromCache = ({ cache }: ResourceContext): "cache" | "store" => (cache.isClosed ? "store" : "cache");

/**
 * Checks that the store has reached the requested version: its answer is current, but the version may lie in the
 * future.
 */
async function fromStore(context: ResourceContext, operation: ServerOperation, read: ReadSemantics): Promise<"store"> {
  if (read.kind === "notOlderThan" || read.kind === "exact") {
    const { resourceVersion: requested } = read;
    const current = await currentRevision(context, operation);
    if (current < requested) throw tooLargeResourceVersion({ requested, current }, 1);
  }
  return "store";
}

/**
 * Waits for the cache, for requests that the store cannot answer.
 * @param timeoutMs how long the whole request may take
 * @throws StatusError Timeout (504) when the cache is behind for all that time, or the version does not exist yet
 * @throws StatusError ServerTimeout when the store does not answer
 */
export async function awaitCache(
  context: ResourceContext,
  read: ReadSemantics,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: EndSignal | undefined },
): Promise<void> {
  const { watchCache } = context;
  if (!watchCache.follows) throw new Error("the watch cache is not running");
  const wanted = await revisionWanted(context, read);
  if (await watchCache.waitFor(wanted, { timeoutMs: Math.min(WAIT_MS, timeoutMs), signal })) return;
  requireInterest(context, "list", signal);
  const current = await currentRevision(context, "list");
  if (current < wanted) throw tooLargeResourceVersion({ requested: wanted, current }, 1);
  if (await watchCache.waitFor(wanted, { timeoutMs: Math.max(0, timeoutMs - WAIT_MS), signal })) return;
  requireInterest(context, "list", signal);
  throw timeout(`this server has not caught up with the store: it is at ${watchCache.revision} of ${current}`, 1);
}

function revisionWanted(context: ResourceContext, read: ReadSemantics): number | Promise<number> {
  switch (read.kind) {
    case "any":
      return 1;
    case "mostRecent":
      return currentRevision(context, "list");
    case "notOlderThan":
    case "exact":
      return read.resourceVersion;
  }
}

/** Throws when the client has given up, so that the store is not asked in vain. */
function requireInterest(context: ResourceContext, operation: ServerOperation, signal: EndSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw readFailure(
    context.resource,
    operation,
    new StoreError("cancelled", "the request ended before the watch cache caught up"),
  );
}

/**
 * Returns the store's revision from a read that begins after the call. @throws StatusError ServerTimeout when the store
 * does not answer
 */
export async function currentRevision(context: ResourceContext, operation: ServerOperation): Promise<number> {
  try {
    return await context.revisions.read();
  } catch (error) {
    throw readFailure(context.resource, operation, error);
  }
}
