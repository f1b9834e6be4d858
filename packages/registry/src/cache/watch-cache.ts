// The whole key space in memory, with one watch for all resources. Each change goes to the cache of its resource.
// Objects of resources that are not served are kept raw, so that a definition that arrives later finds its objects.
// Source: docs/architecture.md, "Watch cache".

import { type ResourceDefinition, resourceText, type StatusError } from "@orch/machinery";
import { type Clock, type EndSignal, type Log, sharedMemory } from "@orch/platform";
import type { KeyValue, Store, StoreEvent, ValueCodec, WatchBatch } from "@orch/store";
import type { CacheHealth, CacheStatistics, RegistryObserver } from "../contract/registry";
import { type ResourcePath, resourcePath, splitKey } from "../objects/key-layout";
import type { ResourceForm } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import { byPath, type StoredItem, storedItem } from "../objects/stored-item";
import type { CacheWatcher } from "../watch/watcher";
import { ResourceCache } from "./resource-cache";
import { RevisionWaiters } from "./revision-waiters";
import { type FollowerSink, StoreFollower } from "./store-follower";

/** An item of a list of the store. */
interface ReadItem {
  readonly of: ResourcePath;
  /** An entry when the resource was served at the time of the read. */
  readonly item: StoredItem | StoredEntry;
}

/** Objects of a resource that is not served (yet), by path. */
type RawObjects = Map<string, StoredItem>;

const TICK_MS = 500;

export class WatchCache {
  private readonly parts: WatchCacheParts;
  private readonly follower: StoreFollower<ReadItem>;
  private readonly memory = sharedMemory();
  private readonly waiters: RevisionWaiters;
  private readonly served = new Map<ResourcePath, ResourceCache>();
  /** Caches of definitions that are no longer served, kept while a client still reads the end of a watch. */
  private readonly leavingCaches = new Set<ResourceCache>();
  private readonly raw = new Map<ResourcePath, RawObjects>();
  private readonly firstFilled: Promise<void>;
  private nowReady: () => void = () => {};
  private reached = 0;
  private synced = false;
  private connected = false;
  private lastError: string | undefined;
  private cancelTick: (() => void) | undefined;
  private currentEpoch = 0;
  private undone = 0;
  private closed = false;

  constructor(parts: WatchCacheParts) {
    this.parts = parts;
    this.waiters = new RevisionWaiters(parts.clock);
    this.firstFilled = new Promise((resolve) => {
      this.nowReady = resolve;
    });
    this.follower = new StoreFollower({
      ...parts,
      sink: this.sink(),
    });
    if (parts.follows) this.follower.start();
    else this.nowReady();
  }

  /** Whether the cache follows the store. If not, it stays empty. */
  get follows(): boolean {
    return this.parts.follows;
  }

  /**
   * The revision up to which the cache contains every change of the store; 0 before the first list and while the store
   * is read again.
   */
  get revision(): number {
    return this.reached;
  }

  /**
   * Changes each time that the store is restored to an earlier state. Revisions from an earlier epoch have no meaning.
   */
  get epoch(): number {
    return this.currentEpoch;
  }

  /** The newest revision of the histories that restores have undone; 0 when there was no restore. */
  get undoneTo(): number {
    return this.undone;
  }

  /**
   * Compares a revision that the store reported with the one known before the request.
   * @returns false when it is older, which happens only after a restore of the store. Everything is then read again
   */
  isHistoryOf(told: number, known: { readonly revision: number; readonly epoch: number }): boolean {
    if (known.epoch !== this.currentEpoch) return false;
    if (told >= known.revision) return true;
    this.follower.beginAnew();
    return false;
  }

  get health(): CacheHealth {
    return {
      synced: this.synced,
      connected: this.connected,
      revision: this.reached,
      lastError: this.lastError,
    };
  }

  /** Returns the caches of all served resources. */
  resources(): readonly ResourceCache[] {
    return [...this.served.values()];
  }

  statistics(): CacheStatistics[] {
    return [...this.served.values()].map(({ form, tree, ring, watchers, unreadable }) => ({
      definition: form.definition,
      objects: tree.size,
      unreadable: unreadable.in("").count,
      capacity: ring.capacity,
      watchers: watchers.size,
    }));
  }

  ready(): Promise<void> {
    return this.firstFilled;
  }

  /** Waits until the cache has reached a revision. @returns false when the bound ended the wait */
  async waitFor(
    revision: number,
    bound: { readonly timeoutMs: number; readonly signal?: EndSignal | undefined },
  ): Promise<boolean> {
    return (this.synced && this.reached >= revision) || this.waiters.wait(Math.max(revision, 1), bound);
  }

  /**
   * Creates the cache of a resource. A cache of another definition of the resource is replaced, and its watches end.
   */
  serve(form: ResourceForm): ResourceCache {
    const path = resourcePath(form.definition.group, form.definition.plural);
    const former = this.served.get(path);
    if (former !== undefined && former.form.definition === form.definition) return former;
    const cache = new ResourceCache(
      {
        form,
        codec: this.parts.codec,
        clock: this.parts.clock,
        progress: this,
        unreadable: ({ item, why }) => {
          this.parts.observer.objectUnreadable?.(path);
          this.parts.log.warn("a stored object cannot be read", { resource: path, object: item.path, why });
        },
        resized: (change) => this.parts.observer.windowResized?.(nameOf(form.definition), change),
      },
      former ?? [...(this.raw.get(path)?.values() ?? [])].sort(byPath),
    );
    this.raw.delete(path);
    this.served.set(path, cache);
    if (former !== undefined) this.leave(former);
    return cache;
  }

  /** Keeps the objects of a resource raw from now on, and ends its watches. @param why see `CacheWatcher.finish` */
  release(form: ResourceForm, why: StatusError): void {
    const path = resourcePath(form.definition.group, form.definition.plural);
    const cache = this.served.get(path);
    if (cache === undefined) return;
    this.served.delete(path);
    const items = cache.items();
    if (items.length > 0) this.raw.set(path, new Map(items.map((item) => [item.path, item])));
    this.leave(cache, why);
  }

  private leave(cache: ResourceCache, why?: StatusError): void {
    cache.finish(why);
    if (cache.watchers.size > 0) this.leavingCaches.add(cache);
  }

  /** Number of caches that are held only for open watches; for metrics and tests. */
  get leaving(): number {
    return this.leavingCaches.size;
  }

  /** Whether an object of a resource that is not served exists. @param path see key-layout.ts */
  holdsRaw(path: ResourcePath, object: string): boolean {
    return this.raw.get(path)?.has(object) ?? false;
  }

  /** Returns a present object of a resource that is not served. */
  rawItem(path: ResourcePath, object: string): StoredItem | undefined {
    return this.raw.get(path)?.get(object);
  }

  /** Whether an object of any resource exists. */
  holds(path: ResourcePath, object: string): boolean {
    return this.served.get(path)?.peek(object) !== undefined || this.holdsRaw(path, object);
  }

  rawCount(path: ResourcePath): number {
    return this.raw.get(path)?.size ?? 0;
  }

  /** Returns the paths of the present objects of a resource that is not served. */
  rawPaths(path: ResourcePath): Iterable<string> {
    return this.raw.get(path)?.keys() ?? [];
  }

  /** The present objects of a resource that is not served. */
  rawItems(path: ResourcePath): readonly StoredItem[] {
    return [...(this.raw.get(path)?.values() ?? [])];
  }

  /** Starts the one timer that serves all watchers, when the first watcher appears. */
  watcherAdded(): void {
    if (this.cancelTick === undefined && !this.closed) this.scheduleTick();
  }

  close(): void {
    this.closed = true;
    this.cancelTick?.();
    this.follower.close();
    for (const cache of [...this.served.values(), ...this.leavingCaches]) cache.close();
  }

  /** See Registry. */
  forgetBefore(revision: number): void {
    for (const cache of this.served.values()) cache.ring.forget(revision);
  }

  private sink(): FollowerSink<ReadItem> {
    const cache = this;
    return {
      get revision() {
        return cache.reached;
      },
      read: (items) => this.read(items),
      reset: (items, revision) => this.reset(items, revision),
      apply: (batch) => this.apply(batch),
      restored: () => this.restored(),
      connected: (now, error) => {
        this.connected = now;
        this.lastError = now ? undefined : error;
      },
    };
  }

  private scheduleTick(): void {
    const tick = () => {
      const now = this.parts.clock.elapsed();
      let watchers = 0;
      for (const cache of [...this.served.values(), ...this.leavingCaches]) {
        for (const watcher of cache.watchers) watcher.tick(now);
        watchers += cache.watchers.size;
        if (cache.watchers.size === 0) this.leavingCaches.delete(cache);
      }
      this.cancelTick = undefined;
      if (watchers > 0 && !this.closed) this.scheduleTick();
    };
    this.cancelTick = this.parts.clock.after(TICK_MS, tick, { background: true });
  }

  private read(items: readonly KeyValue[]): ReadItem[] {
    const read: ReadItem[] = [];
    for (const found of items) {
      const split = splitKey(this.parts.prefix, found.key);
      if (split === undefined) continue;
      const item = storedItem(split.rest, found);
      read.push({ of: split.path, item: this.served.get(split.path)?.readAhead(item, this.memory) ?? item });
    }
    return read;
  }

  private reset(items: readonly ReadItem[], revision: number): void {
    const byResource = new Map<ResourcePath, (StoredItem | StoredEntry)[]>();
    for (const { of, item } of items) {
      const list = byResource.get(of);
      if (list === undefined) byResource.set(of, [item]);
      else list.push(item);
    }
    this.reached = revision;
    this.raw.clear();
    for (const [path, cache] of this.served) cache.reset(byResource.get(path) ?? [], revision);
    for (const [path, list] of byResource) {
      if (this.served.has(path)) continue;
      const raw = list.map((item) => (item instanceof StoredEntry ? item.inItem(this.parts.codec) : item));
      this.raw.set(path, new Map(raw.map((item) => [item.path, item])));
    }
    this.synced = true;
    this.nowReady();
    this.waiters.reached(revision);
    this.parts.observer.listed?.(items.length);
  }

  private restored(): void {
    this.currentEpoch += 1;
    this.undone = Math.max(this.undone, this.reached);
    this.synced = false;
    this.reached = 0;
    this.raw.clear();
    for (const cache of this.served.values()) cache.restored();
    this.parts.restored();
  }

  private apply(batch: WatchBatch): void {
    const woken: CacheWatcher[] = [];
    const concerned = (watcher: CacheWatcher, sequence: number) => {
      if (watcher.offer(sequence)) woken.push(watcher);
    };
    for (const event of batch.events) this.applyEvent(event, concerned);
    this.reached = batch.revision;
    this.waiters.reached(batch.revision);
    for (const watcher of woken) watcher.wake();
  }

  private applyEvent(event: StoreEvent, concerned: (watcher: CacheWatcher, sequence: number) => void): void {
    const { key, modRevision } = event.kind === "put" ? event.item : event;
    // A resumed watch may repeat changes that have been applied.
    if (modRevision <= this.reached) return;
    const split = splitKey(this.parts.prefix, key);
    if (split === undefined) return;
    const { path, rest } = split;
    const item = event.kind === "put" ? storedItem(rest, event.item) : undefined;
    const cache = this.served.get(path);
    if (cache === undefined) this.keepRaw(path, rest, item);
    else cache.apply({ path: rest, revision: modRevision, item }, concerned);
    this.parts.observer.eventReceived?.(path);
  }

  private keepRaw(path: ResourcePath, object: string, item: StoredItem | undefined): void {
    const objects = this.raw.get(path);
    if (item === undefined) {
      objects?.delete(object);
      if (objects?.size === 0) this.raw.delete(path);
    } else if (objects === undefined) this.raw.set(path, new Map([[object, item]]));
    else objects.set(object, item);
  }
}

export interface WatchCacheParts {
  readonly store: Store;
  /** Root of every key, without a trailing slash. */
  readonly prefix: string;
  readonly codec: ValueCodec;
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: RegistryObserver;
  /** If false, the cache stays empty. */
  readonly follows: boolean;
  /** Called when the store has been restored to an earlier state. */
  readonly restored: () => void;
}

/** Name of the resource in errors and metrics. */
const nameOf = ({ group, plural }: ResourceDefinition): string => resourceText({ group, resource: plural });
