// All objects of one resource in the watch cache: the newest state, past states, recent changes, and the watchers.

import { EXPIRED_TEXT, expired, type StatusError } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { orderForm, type ValueCodec, ValueCodecError } from "@orch/store";
import { Change } from "../changes/change";
import { EventRing, RING_BOUNDS } from "../changes/event-ring";
import { BookmarkEvent } from "../changes/watch-event";
import type { Selection } from "../contract/operations";
import { EntryMapping } from "../objects/entry-mapping";
import { canonicalForm, formOfStored, normalizeStored, type ResourceForm } from "../objects/resource-form";
import { ConvertedEntry, EarlierEntry, StoredEntry } from "../objects/stored-entry";
import { byPath, type StoredItem } from "../objects/stored-item";
import { readable, UnreadableObject, UnreadableObjects } from "../objects/unreadable-objects";
import { FieldIndex } from "../snapshots/field-index";
import { OrderedTree } from "../snapshots/ordered-tree";
import { type EntryTree, Snapshots } from "../snapshots/snapshots";
import { positionsOf } from "../snapshots/tree-positions";
import type { CacheWatcher } from "../watch/watcher";
import { WatcherIndex } from "../watch/watcher-index";

/** Progress of the whole watch cache. */
interface CacheProgress {
  readonly revision: number;
  /** False when the cache does not follow the store and stays empty. */
  readonly follows: boolean;
}

export interface ResourceCacheParts {
  readonly form: ResourceForm;
  readonly codec: ValueCodec;
  readonly clock: Clock;
  readonly progress: CacheProgress;
  /** Called once for each stored value that is not an object. */
  readonly unreadable: (object: UnreadableObject) => void;
  /** Called when the ring of recent changes changes its size. */
  readonly resized?: (change: "grown" | "shrunk") => void;
}

/**
 * The newest state with the position in the changes that follows it. Both are read together, because values read
 * separately around an `await` belong to different moments.
 */
export interface CacheState {
  readonly tree: EntryTree;
  readonly revision: number;
  /** Sequence number of the first change that is not in the tree. */
  readonly sequence: number;
}

/** How long after a definition is served here other replicas may still write with the previous definition. */
const UNDER_FORMER_MS = 120_000;

export class ResourceCache {
  readonly ring: EventRing;
  readonly watchers = new WatcherIndex<CacheWatcher>();
  /** Whether the last comparison with the store found no difference. */
  isConsistent = true;
  /** Whether the resource had no objects when this process first read it. */
  readonly beganEmpty: boolean;
  private readonly parts: ResourceCacheParts;
  private readonly servedAt: number;
  private snapshots: Snapshots;
  private readonly ownWrites = new Map<number, StoredEntry>();
  private newestTree: EntryTree = OrderedTree.empty();
  /** Revision of the last change of this resource. */
  private changedAt: number;
  private lastBookmark: BookmarkEvent | undefined;
  private index: FieldIndex | undefined;
  private unreadableNow = new UnreadableObjects();
  /** Whether the resource ever had an object long enough to be large. */
  private hadLong = false;
  /** Revision at which the cache was closed. */
  private closedAt: number | undefined;

  /**
   * @param source in key order, all items of the resource at the revision of the progress; or the cache of the
   * definition that this one replaces
   */
  constructor(parts: ResourceCacheParts, source: readonly StoredItem[] | ResourceCache) {
    this.parts = parts;
    this.servedAt = parts.clock.elapsed();
    this.snapshots = new Snapshots(parts.clock);
    this.changedAt = parts.progress.revision;
    this.ring = new EventRing(parts.progress.revision, RING_BOUNDS, parts.resized);
    this.beganEmpty = source instanceof ResourceCache ? source.beganEmpty : source.length === 0;
    if (source instanceof ResourceCache) this.continue(source);
    else this.fill(source);
  }

  get form(): ResourceForm {
    return this.parts.form;
  }

  get clock(): Clock {
    return this.parts.clock;
  }

  /** Returns the number of objects in a namespace; "": in all. */
  sizeOf(namespace: string): number {
    const tree = this.newestTree;
    if (namespace === "") return tree.size;
    const { from, to } = positionsOf(tree, { namespace, name: undefined, namespaced: true });
    return to - from;
  }

  get tree(): EntryTree {
    return this.newestTree;
  }

  /** The revision up to which the cache contains every change of the store, of this resource or of others. */
  get revision(): number {
    return this.closedAt ?? this.parts.progress.revision;
  }

  /**
   * Set when the cache receives no further changes: another cache has replaced it, or the resource is no longer served.
   */
  get isClosed(): boolean {
    return this.closedAt !== undefined;
  }

  /** Stored values that cannot be read. They are part of no state and of no list. */
  get unreadable(): Pick<UnreadableObjects, "in" | "get"> {
    return this.unreadableNow;
  }

  peek(path: string): StoredEntry | undefined {
    return this.newestTree.get(orderForm(path));
  }

  /**
   * Whether a change of the object takes long, as far as the cache knows. Most resources never had a large object; for
   * them nothing is looked up.
   */
  isLarge(path: string): boolean {
    return (this.hadLong || this.form.byVersion !== undefined) && this.peek(path)?.takesLong === true;
  }

  /**
   * Returns the part of the newest state that contains the whole selection: from an index if one applies, otherwise the
   * whole state.
   */
  state(selection: Selection): CacheState {
    const tree = this.index?.narrowest(selection) ?? this.newestTree;
    return { tree, revision: this.revision, sequence: this.ring.nextSequence };
  }

  /** Returns the state at a revision not newer than the cache; undefined when it must be read from the store. */
  treeAt(revision: number): EntryTree | undefined {
    if (!this.isConsistent) return undefined;
    return this.snapshots.at(revision, { tree: this.newestTree, since: this.changedAt }, this.ring);
  }

  /** Keeps the state at `revision` for continue tokens that name it, if this cache has it. */
  keep(revision: number): void {
    if (revision >= this.changedAt) {
      this.snapshots.keep(this.newestTree, { since: this.changedAt, until: Number.POSITIVE_INFINITY });
    }
  }

  /** Registers the entry of this server's own write, so that the resulting change is not parsed again. */
  expect(entry: StoredEntry): void {
    if (this.parts.progress.follows && entry.resourceVersion > this.revision)
      this.ownWrites.set(entry.resourceVersion, entry);
  }

  /**
   * Applies one change of the store.
   * @param item undefined: deleted
   * @param concerned called for every watcher that may see it
   */
  apply(
    {
      path,
      revision,
      item,
    }: { readonly path: string; readonly revision: number; readonly item: StoredItem | undefined },
    concerned: (watcher: CacheWatcher, sequence: number) => void,
  ): void {
    const key = orderForm(path);
    const before = this.newestTree.get(key);
    const missed = this.unreadableNow.take(path);
    const read = item && this.read(item);
    if (read instanceof UnreadableObject) this.keepUnreadable(read, before ?? missed?.last);
    const entry = read instanceof UnreadableObject ? undefined : read;
    const previous = before ?? missed?.last;
    if (entry === undefined && previous === undefined) return;
    if (read instanceof UnreadableObject && before === undefined) return;
    this.snapshots.changed(revision, before);
    this.hadLong ||= entry?.isLong === true;
    if (entry !== undefined) this.newestTree = this.newestTree.set(key, entry);
    else if (before !== undefined) this.newestTree = this.newestTree.delete(key);
    this.index?.apply(entry, before);
    this.changedAt = revision;
    const readability = read instanceof UnreadableObject ? "lost" : missed === undefined ? "same" : "regained";
    this.append(new Change(revision, entry, previous, this.clock.elapsed(), readability), concerned);
  }

  private append(change: Change, concerned: (watcher: CacheWatcher, sequence: number) => void): void {
    const sequence = this.ring.nextSequence;
    this.ring.append(change);
    if (change.readability === "lost") return;
    this.watchers.forEachConcerned(change, (watcher) => concerned(watcher, sequence));
  }

  /** Replaces everything after changes were missed. Watchers end with Expired (410): clients must list again. */
  reset(items: readonly (StoredItem | StoredEntry)[], revision: number): void {
    const requested = this.ring.startRevision;
    this.ownWrites.clear();
    // Snapshots would retain the whole former state. The store answers clients that continue a paged list.
    this.snapshots = new Snapshots(this.clock);
    this.ring.restart(revision);
    this.changedAt = revision;
    this.fill(items);
    for (const watcher of [...this.watchers]) {
      watcher.fail(expired(EXPIRED_TEXT.watchCache({ requested, oldest: revision })));
    }
  }

  /** Drops the whole content after a restore of the store; `reset` brings the new one. */
  restored(): void {
    this.reset([], 0);
  }

  /** Ends every watch at once because the server stops. */
  close(): void {
    this.closedAt ??= this.revision;
    for (const watcher of [...this.watchers]) watcher.close();
  }

  /**
   * Stops the cache because the resource is served by another definition or no longer served. Open watches end after
   * the last event that is due to them.
   * @param why see `CacheWatcher.finish`
   */
  finish(why?: StatusError): void {
    this.closedAt ??= this.revision;
    this.ownWrites.clear();
    for (const watcher of [...this.watchers]) watcher.finish(why);
  }

  /** Returns the bookmark at the cache's revision, shared by all watchers. */
  bookmark(): BookmarkEvent {
    if (this.lastBookmark?.resourceVersion !== this.revision) this.lastBookmark = new BookmarkEvent(this.revision);
    return this.lastBookmark;
  }

  /**
   * Builds the entry of a stored item.
   * @param by the writer of the item: anybody, or the present definition once no other replica can use the previous one
   * @throws UnreadableObject for bytes that are not an object of this resource
   */
  toEntry(item: StoredItem, by: "anybody" | "present definition" = "anybody"): StoredEntry {
    try {
      if (item.mark?.kind === "unreadable") throw new ValueCodecError(item.mark.why);
      const held = this.heldEntry(item);
      if (held !== undefined) return held;
      const { value } = item;
      const inStore = this.parts.codec.decode(value);
      const isStale = item.mark !== undefined;
      const form = formOfStored(this.form, inStore);
      const stored = normalizeStored(form, inStore);
      const { path, modRevision: resourceVersion } = item;
      const isEarlier = form.definition.renew !== undefined && by !== "present definition";
      if (stored === inStore && !isStale && !isEarlier) {
        const entry = new StoredEntry(form, path, resourceVersion, stored);
        entry.heldBy(item.inStore);
        return entry;
      }
      const at = { form, path, resourceVersion, isStale };
      // Let the store share the plain value of this entry; otherwise it would keep another copy in served form.
      if (item.inStore?.held !== undefined) item.inStore.heldIn?.(value, { at: 0, length: 0 });
      return stored === inStore && isEarlier ? new EarlierEntry(at, stored) : new ConvertedEntry(at, stored, inStore);
    } catch (error) {
      throw new UnreadableObject(this.form.definition, item, error);
    }
  }

  /**
   * Builds the entry over the bytes that a store in this process holds in served form. @returns undefined when the item
   * must be parsed first
   */
  private heldEntry(item: StoredItem): StoredEntry | undefined {
    const held = item.mark === undefined ? item.inStore?.held : undefined;
    if (held === undefined || this.form.definition.renew !== undefined) return undefined;
    const { whole } = held;
    if (this.parts.codec.decode(whole) !== whole) return undefined;
    const form = canonicalForm(this.form, whole);
    return form && StoredEntry.held(form, item, held);
  }

  /** Returns the newest state as stored items for a later cache, which may be able to read what this one cannot. */
  items(): StoredItem[] {
    const read = this.newestTree.slice().map((entry) => entry.inItem(this.parts.codec));
    const unread = this.unreadableNow.items();
    return unread.length === 0 ? read : [...read, ...unread].sort(byPath);
  }

  /**
   * Takes over the content of another definition's cache. Entries that both definitions read alike share their bytes.
   */
  private continue(former: ResourceCache): void {
    const under = new EntryMapping(this.form);
    const entries: StoredEntry[] = [];
    for (const entry of former.tree.slice()) {
      const isAlike = !(entry instanceof ConvertedEntry);
      const read =
        (isAlike ? under.of(entry) : undefined) ?? readable(() => this.toEntry(entry.inItem(this.parts.codec)));
      if (read instanceof UnreadableObject) this.keepUnreadable(read, undefined);
      else entries.push(read);
    }
    this.takeAll(
      entries.map(({ path }) => orderForm(path)),
      entries,
    );
    if (under.hasAllOf(former.form)) {
      this.ring.continue(former.ring, (change) => change.with((entry) => under.of(entry) ?? entry));
      this.changedAt = former.changedAt;
    }
    for (const item of former.unreadableNow.items()) {
      const read = readable(() => this.toEntry(item));
      if (read instanceof UnreadableObject) this.unreadableNow.put(read, undefined);
      else this.add(read);
    }
  }

  private add(entry: StoredEntry): void {
    this.hadLong ||= entry.isLong;
    this.newestTree = this.newestTree.set(orderForm(entry.path), entry);
    this.index?.apply(entry, undefined);
  }

  private read(item: StoredItem): StoredEntry | UnreadableObject {
    const own = this.ownWrites.get(item.modRevision);
    if (own !== undefined && own.path === item.path) {
      this.ownWrites.delete(item.modRevision);
      own.heldBy(item.inStore);
      return own;
    }
    const isSettled = this.clock.elapsed() > this.servedAt + UNDER_FORMER_MS;
    return readable(() => this.toEntry(item, isSettled ? "present definition" : "anybody"));
  }

  private keepUnreadable(object: UnreadableObject, last: StoredEntry | undefined): void {
    this.unreadableNow.put(object, last);
    this.parts.unreadable(object);
  }

  /**
   * Parses an item of a coming reset in advance. @param memory see `StoredEntry.serveIn`
   * @returns undefined when the item is unreadable; `reset` then decides
   */
  readAhead(item: StoredItem, memory: (bytes: number) => Buffer): StoredEntry | undefined {
    const read = readable(() => this.toEntry(item));
    if (read instanceof UnreadableObject) return undefined;
    // Bytes held by a store in this process are not allocated for the list and are not freed after it, so they are not
    // copied.
    if (item.inStore === undefined) read.serveIn(memory);
    return read;
  }

  /**
   * Returns the entry of an item. A read-ahead entry is used if it was parsed with this definition; otherwise it is
   * parsed again.
   */
  private readNow(found: StoredItem | StoredEntry): StoredEntry | UnreadableObject {
    if (!(found instanceof StoredEntry)) return readable(() => this.toEntry(found));
    if (found.form.definition === this.form.definition) return found;
    return readable(() => this.toEntry(found.inItem(this.parts.codec)));
  }

  private fill(items: readonly (StoredItem | StoredEntry)[]): void {
    const keys: string[] = [];
    const entries: StoredEntry[] = [];
    const known = this.unreadableNow;
    this.unreadableNow = new UnreadableObjects();
    for (const item of items) {
      const read = this.readNow(item);
      if (read instanceof UnreadableObject) {
        if (known.get(item.path)?.object.item.modRevision === read.item.modRevision)
          this.unreadableNow.put(read, undefined);
        else this.keepUnreadable(read, undefined);
        continue;
      }
      keys.push(orderForm(read.path));
      entries.push(read);
    }
    this.takeAll(keys, entries);
  }

  private takeAll(keys: readonly string[], entries: readonly StoredEntry[]): void {
    this.newestTree = OrderedTree.fromSorted(keys, entries);
    this.index = FieldIndex.of(this.form.definition, keys, entries);
    this.hadLong ||= entries.some(({ isLong }) => isLong);
  }
}
