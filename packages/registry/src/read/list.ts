// The list verb: a collection, whole or in chunks, from a tree of the cache, or from the store if the cache does not
// hold the version. Source: Kubernetes API concepts, "Resource versions" and "Retrieving large results sets in chunks".

import {
  BAD_REQUEST_TEXT,
  badRequest,
  type ContinuePoint,
  continueExpired,
  decodeContinueToken,
  EXPIRED_TEXT,
  encodeContinueToken,
  expired,
  isTooLargeResourceVersion,
  MOST_RECENT,
  type ReadSemantics,
  renewContinueToken,
  type StatusError,
  timeout,
} from "@orch/machinery";
import type { EndSignal, EventLoopYielder } from "@orch/platform";
import { orderForm, StoreError } from "@orch/store";
import type { CacheState } from "../cache/resource-cache";
import type { ResourceContext } from "../context/resource-context";
import type { ListRequest, ListResult, ReadOptions, Selection } from "../contract/operations";
import type { ListFigures } from "../contract/registry";
import { readFailure } from "../contract/store-failures";
import { type EntryPredicate, nameSelected, predicateOf, selectsAll } from "../objects/selection";
import type { StoredEntry } from "../objects/stored-entry";
import type { EntryTree } from "../snapshots/snapshots";
import { positionsOf } from "../snapshots/tree-positions";
import { awaitFreshness } from "./freshness";
import { type Chunk, listStored } from "./list-stored";
import { sortedChunk } from "./sorted-chunk";

/**
 * @throws StatusError BadRequest (400) for an invalid token; Expired (410) for a version that is compacted, with a
 * token that continues at the latest version if the request carried one; Timeout (504) for a version that does not
 * exist yet
 */
export async function list(
  context: ResourceContext,
  request: ListRequest,
  options: ReadOptions = {},
): Promise<ListResult> {
  const { cache, vocabulary } = context;
  const token = request.continueToken ?? "";
  const point = token === "" ? undefined : decodeContinueToken(token, vocabulary);
  if (point !== undefined) requireSameOrder(point, request);
  const read = point === undefined ? request.read : readOf(point);
  const askedMs = performance.now();
  const source = await freshness(context, { read, point, signal: options.signal });
  const told = { isConsistent: read.kind === "mostRecent", waitedMs: performance.now() - askedMs };
  const state = source === "store" ? undefined : stateFor(context, read, request.selection);
  if (state !== undefined) {
    const { tree, revision } = state;
    const chunk = await chunkOf(tree, request, point, context);
    if (chunk.more) cache.keep(revision);
    tell(context, "cache", chunk, told);
    return answer(context, request, chunk, revision);
  }
  if (needsCache(request)) throw notInCache(context, read, point);
  const wanted = read.kind === "exact" ? read.resourceVersion : 0;
  try {
    const from = { startKey: point?.startKey ?? "", revision: wanted };
    const { chunk, revision } = await listStored(context, { ...from, ...request }, options);
    tell(context, "store", chunk, told);
    return answer(context, request, chunk, revision);
  } catch (error) {
    const gone = error instanceof StoreError && error.code === "compacted";
    if (gone && point !== undefined) throw continueExpired(renewContinueToken(point, vocabulary));
    throw readFailure(context.resource, "list", error, wanted);
  }
}

/** @throws StatusError BadRequest (400) */
function requireSameOrder({ sortedBy, resourceVersion }: ContinuePoint, { order }: ListRequest): void {
  if (sortedBy === order?.text && (order === undefined || resourceVersion !== "latest")) return;
  const had = sortedBy === undefined ? "without sortBy" : `with sortBy=${sortedBy}`;
  throw badRequest(BAD_REQUEST_TEXT.invalidContinueToken(`it continues a list ${had}; send the same sortBy with it`));
}

/** Whether the answer depends on all selected objects. The store would have to read them all for each chunk. */
const needsCache = ({ count, order, selection }: ListRequest): boolean =>
  order !== undefined || (count === true && !selectsAll(selection));

/** The error for a state that the cache does not have, or does not have yet. */
function notInCache(
  { vocabulary, watchCache }: ResourceContext,
  read: ReadSemantics,
  point: ContinuePoint | undefined,
): StatusError {
  if (point?.sortedBy !== undefined) return expired(EXPIRED_TEXT.continueToken());
  if (point !== undefined) return continueExpired(renewContinueToken(point, vocabulary));
  if (read.kind === "exact") return expired(EXPIRED_TEXT.list());
  return timeout(`this server has not caught up with the store: it is at revision ${watchCache.revision}`, 1);
}

function tell(
  { observer, definition }: ResourceContext,
  from: ListFigures["from"],
  { fetched, entries }: Chunk,
  told: Pick<ListFigures, "isConsistent" | "waitedMs">,
): void {
  observer.listServed?.(definition, { from, fetched: fetched ?? entries.length, returned: entries.length, ...told });
}

/**
 * Calls awaitFreshness. A token whose version the store does not have belongs to a history that a restore has undone.
 */
async function freshness(
  context: ResourceContext,
  {
    read,
    point,
    signal,
  }: {
    readonly read: ReadSemantics;
    readonly point: ContinuePoint | undefined;
    readonly signal: EndSignal | undefined;
  },
): Promise<"cache" | "store"> {
  try {
    return await awaitFreshness(context, "list", read, signal);
  } catch (error) {
    if (point === undefined || !isTooLargeResourceVersion(error)) throw error;
    throw continueExpired(renewContinueToken(point, context.vocabulary));
  }
}

/** @returns undefined when the cache does not hold that revision */
function stateFor(
  { cache }: ResourceContext,
  read: ReadSemantics,
  selection: Selection,
): Pick<CacheState, "tree" | "revision"> | undefined {
  const newest = cache.state(selection);
  if (read.kind !== "exact") return newest;
  const { resourceVersion: revision } = read;
  const tree = cache.treeAt(revision);
  return tree && { tree: tree === cache.tree ? newest.tree : tree, revision };
}

function readOf({ resourceVersion }: ContinuePoint): ReadSemantics {
  return resourceVersion === "latest" ? MOST_RECENT : { kind: "exact", resourceVersion };
}

function chunkOf(
  tree: EntryTree,
  { namespace, selection, limit, order, count }: ListRequest,
  point: ContinuePoint | undefined,
  { definition, loop }: ResourceContext,
): Chunk | Promise<Chunk> {
  const namespaced = definition.scope === "Namespaced";
  const { from: first, to } = positionsOf(tree, { namespace, name: nameSelected(selection), namespaced });
  const prefix = namespace === "" ? "" : `${namespace}/`;
  const matches = predicateOf("", selection);
  if (order !== undefined) {
    const after = point && prefix + point.startKey.slice(0, -1);
    return sortedChunk(tree, { from: first, to, limit, matches, order, after, loop });
  }
  const from = point === undefined ? first : Math.max(first, tree.rank(orderForm(prefix + point.startKey)));
  if (!selectsAll(selection)) return selected(tree, { from, to, limit, matches, count: count === true, loop });
  const end = limit > 0 ? Math.min(from + limit, to) : to;
  return { entries: tree.slice(from, end), more: end < to, remaining: to - end };
}

/** Number of entries read from the tree at once. */
const SCAN_ENTRIES = 512;
/** Number of looks at objects between two checks of the turn's time. */
const LOOKS_BETWEEN = 32;

interface Scan {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly matches: EntryPredicate | undefined;
  /** Whether to count the matches beyond the limit. */
  readonly count: boolean;
  readonly loop: EventLoopYielder;
}

/** Reads until the limit is full and one further match shows that more follow, or to the end in order to count. */
function selected(tree: EntryTree, scan: Scan): Chunk | Promise<Chunk> {
  const selecting = new Selecting(tree, scan);
  // Nearly all scans end in the turn in which they begin, and need no promise.
  return selecting.goOn() ?? selectedLater(selecting, scan.loop);
}

async function selectedLater(selecting: Selecting, loop: EventLoopYielder): Promise<Chunk> {
  for (;;) {
    await loop.next();
    const chunk = selecting.goOn();
    if (chunk !== undefined) return chunk;
  }
}

/** A scan that can be suspended and resumed. A loop with an `await` at each entry takes twice the time per entry. */
class Selecting {
  private readonly found: StoredEntry[] = [];
  private readonly matches: EntryPredicate;
  private read: readonly StoredEntry[] = [];
  /** Position in `read`. */
  private at = 0;
  private next: number;
  /** Number of matches beyond the limit. */
  private further = 0;

  constructor(
    private readonly tree: EntryTree,
    private readonly scan: Scan,
  ) {
    this.next = scan.from;
    this.matches = scan.matches ?? (() => true);
  }

  /** @returns undefined when the turn is over before the end of the scan */
  goOn(): Chunk | undefined {
    const { limit, loop, count } = this.scan;
    const { found, matches } = this;
    let looks = 0;
    while (this.at < this.read.length || this.readOn()) {
      const { read } = this;
      for (let at = this.at; at < read.length; at += 1) {
        const entry = read[at] as StoredEntry;
        looks += entry.looks;
        if (looks > LOOKS_BETWEEN) {
          looks = 0;
          if (loop.isOver) {
            this.at = at;
            return undefined;
          }
        }
        if (!matches(entry)) continue;
        if (limit === 0 || found.length < limit) found.push(entry);
        else if (count) this.further += 1;
        else return this.chunk(true);
      }
      this.at = read.length;
    }
    return this.chunk(this.further > 0);
  }

  private chunk(more: boolean): Chunk {
    const remaining = this.scan.count ? this.further : undefined;
    return { entries: this.found, more, remaining, fetched: this.next - this.scan.from };
  }

  private readOn(): boolean {
    const { to } = this.scan;
    if (this.next >= to) return false;
    const end = Math.min(this.next + SCAN_ENTRIES, to);
    this.read = this.tree.slice(this.next, end);
    this.next = end;
    this.at = 0;
    return this.read.length > 0;
  }
}

function answer(context: ResourceContext, request: ListRequest, chunk: Chunk, revision: number): ListResult {
  const { namespace, selection, order, count } = request;
  const { entries, more, remaining } = chunk;
  const last = entries.at(-1);
  const part = { resourceVersion: revision, entries };
  if (!more || last === undefined) {
    return { ...part, continueToken: "", remainingItemCount: count ? 0 : undefined };
  }
  const lastKey = namespace === "" ? last.path : last.name;
  const token = { resourceVersion: revision, lastKey, sortedBy: order?.text };
  return {
    ...part,
    continueToken: encodeContinueToken(token, context.vocabulary),
    remainingItemCount: count || selectsAll(selection) ? remaining : undefined,
  };
}
