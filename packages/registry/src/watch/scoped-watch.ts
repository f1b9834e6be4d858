// A watch of the objects whose names are in a set that changes during the watch. A name that enters the set is reported
// as ADDED, one that leaves it as DELETED, although the objects themselves did not change.

import { expired, type StatusError } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/platform";
import { BookmarkEvent, ObjectEvent } from "../changes/watch-event";
import type { Entry, ReadOptions, WatchEvent, Watcher, WatchRequest } from "../contract/operations";
import type { ResourceStorage } from "../contract/resource-storage";
import type { StoredEntry } from "../objects/stored-entry";

export interface NameSet {
  has(name: string): boolean;
}

/** A set of names that belongs to one user and changes over time. */
export interface DynamicScope {
  /** Processes the changes received so far; may call the listeners. */
  refresh(): void;
  /** Returns the present set, which is immutable. */
  now(): NameSet;
  /** Whether the set may have changed after that revision. */
  isChangedAfter(revision: number): boolean;
  /** @param changed called when the set may have changed @returns a function that ends the subscription */
  listen(changed: () => void): () => void;
}

export interface ScopedWatchDeps {
  readonly storage: ResourceStorage;
  readonly scope: DynamicScope;
  /** One change may concern a thousand watches. Each watch processes it in a turn of its own. */
  readonly loop: EventLoopYielder;
}

/**
 * Starts a watch of a cluster-scoped resource. An exact start works only if the set has not changed since that version;
 * otherwise the watcher reports Expired (410).
 */
export async function watchWithin(
  deps: ScopedWatchDeps,
  request: WatchRequest,
  options: ReadOptions = {},
): Promise<Watcher> {
  const { storage, scope } = deps;
  const inner = await storage.watch(request, options);
  const { start } = request;
  scope.refresh();
  const watcher = new ScopedWatcher(deps, request, inner);
  if (start.kind === "exact" && !request.sendInitialEvents && scope.isChangedAfter(start.resourceVersion)) {
    watcher.fail(expired(`the set of visible objects has changed since resource version ${start.resourceVersion}`));
  }
  return watcher;
}

/**
 * Maximum number of consecutive takes of the inner watch without an event for the client, before other work gets its
 * turn.
 */
const EMPTY_TAKINGS_MAX = 8;
const AGAIN_MS = 200;

class ScopedWatcher implements Watcher {
  private shown: NameSet;
  /**
   * The transition of the last change of the set. Events up to this revision belong to the set before, except for names
   * that the client has been told of.
   */
  private turn: { readonly revision: number; readonly before: NameSet; readonly told: ReadonlySet<string> } | undefined;
  private isChanged = false;
  private isLooking = false;
  private closed = false;
  private waiting: WatchEvent[] = [];
  private callback: (() => void) | undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly deps: ScopedWatchDeps,
    private readonly request: WatchRequest,
    private readonly inner: Watcher,
  ) {
    this.shown = deps.scope.now();
    this.stopListening = deps.scope.listen(() => {
      this.isChanged = true;
      this.callback?.();
    });
  }

  get ended(): Watcher["ended"] {
    return this.waiting.length > 0 ? undefined : this.inner.ended;
  }

  take(max: number, bytesMax?: number): readonly WatchEvent[] {
    if (this.waiting.length > 0) return this.waiting.splice(0, max);
    this.deps.scope.refresh();
    for (let takings = 0; takings < EMPTY_TAKINGS_MAX; takings += 1) {
      // Compare the sets before taking further events: a client resumes from the last event that it was sent.
      if (this.isChanged && this.turn === undefined) this.look();
      if (this.isLooking) return [];
      const events = this.inner.take(max, bytesMax);
      if (events.length === 0) {
        if (!this.isChanged) return events;
        this.turn = undefined;
        continue;
      }
      const forClient = events.filter((event) => this.isForClient(event));
      if (forClient.length > 0) return forClient;
    }
    setImmediate(() => this.callback?.());
    return [];
  }

  onReadable(callback: () => void): void {
    this.callback = callback;
    this.inner.onReadable(callback);
  }

  fail(error: StatusError): void {
    this.waiting = [];
    this.isChanged = false;
    this.stopListening();
    this.inner.fail(error);
  }

  close(): void {
    this.closed = true;
    this.waiting = [];
    this.stopListening();
    this.inner.close();
  }

  private isForClient(event: WatchEvent): boolean {
    if (!("entry" in event)) return true;
    const { name, resourceVersion } = event.entry;
    const { turn } = this;
    if (turn === undefined || resourceVersion > turn.revision) return this.shown.has(name);
    return turn.before.has(name) && !turn.told.has(name);
  }

  private look(): void {
    if (this.isLooking || this.closed || this.inner.ended !== undefined) return;
    this.isLooking = true;
    this.isChanged = false;
    this.compare()
      .catch(() => {
        // The cache is being filled again. Either the watch ends then, or the comparison is repeated afterwards.
        this.isChanged = true;
        return new Promise<void>((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      })
      .finally(() => {
        this.isLooking = false;
        this.callback?.();
      });
  }

  private async compare(): Promise<void> {
    const { selection } = this.request;
    const { storage, scope, loop } = this.deps;
    await loop.next();
    const { entries, resourceVersion } = await storage.list({
      namespace: "",
      read: { kind: "any" },
      selection,
      limit: 0,
    });
    if (this.closed) return;
    const before = this.shown;
    this.shown = scope.now();
    const told = new Set<string>();
    for (const entry of entries) {
      const { name } = entry;
      const isShown = this.shown.has(name);
      if (isShown === before.has(name)) continue;
      told.add(name);
      this.waiting.push(new ObjectEvent(isShown ? "ADDED" : "DELETED", entryOfCache(entry)));
    }
    this.turn = { revision: resourceVersion, before, told };
    // The synthetic events carry old versions, from which a client could not resume. The bookmark gives a current one.
    if (told.size > 0 && this.request.bookmarks) this.waiting.push(new BookmarkEvent(resourceVersion));
  }
}

/** Lists of stored resources return this class. */
const entryOfCache = (entry: Entry): StoredEntry => entry as StoredEntry;
