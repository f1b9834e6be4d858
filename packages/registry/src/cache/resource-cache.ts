// All objects of one resource as the watch cache knows them: the newest state, past states, recent changes, and who watches.

import { EXPIRED_TEXT, expired, type StatusError } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { orderForm, type ValueCodec, ValueCodecError } from "@orch/store";
import { formAsIs, formOfStored, normalizeStored, type ResourceForm } from "../objects/resource-form";
import { ConvertedEntry, EarlierEntry, StoredEntry } from "../objects/stored-entry";
import { byPath, type StoredItem } from "../objects/stored-item";
import { Successors } from "../objects/successors";
import { readable, UnreadableObject, UnreadableObjects } from "../objects/unreadable-objects";
import type { Selection } from "../registry";
import { BookmarkEvent } from "../watch/watch-event";
import type { CacheWatcher } from "../watch/watcher";
import { WatcherIndex } from "../watch/watcher-index";
import { Change } from "./change";
import { EventRing, RING_BOUNDS } from "./event-ring";
import { FieldIndex } from "./field-index";
import { OrderedTree } from "./ordered-tree";
import { type EntryTree, Snapshots } from "./snapshots";
import { positionsOf } from "./tree-positions";

/** How far the whole cache is. */
export interface CacheProgress {
  readonly revision: number;
  /** False where it stays at nothing. */
  readonly follows: boolean;
}

export interface ResourceCacheParts {
  readonly form: ResourceForm;
  readonly codec: ValueCodec;
  readonly clock: Clock;
  readonly progress: CacheProgress;
  /** Told once of each stored value that is no object. */
  readonly unreadable: (object: UnreadableObject) => void;
  /** Told when the ring of recent changes takes on another size. */
  readonly resized?: (change: "grown" | "shrunk") => void;
}

/**
 * The newest state, and the place in the changes that follow it. One value, because each by itself is of another moment as soon as anything is
 * waited for in between.
 */
export interface CacheState {
  readonly tree: EntryTree;
  readonly revision: number;
  /** Sequence number of the first change that is not in the tree. */
  readonly sequence: number;
}

/** For so long after a definition has come here, requests on other replicas may still go by the one before. */
const UNDER_FORMER_MS = 120_000;

export class ResourceCache {
  readonly ring: EventRing;
  readonly watchers = new WatcherIndex<CacheWatcher>();
  /** There was no object of the resource when this process first looked. */
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
  /** There has been an object that is long enough to be large. */
  private hadLong = false;
  /** The revision at which it was closed. */
  private closedAt: number | undefined;

  /** @param source in key order, all of the resource as of the progress' revision; or the cache of another definition that this one follows */
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

  /** How many objects there are in a namespace; "": in all. */
  sizeOf(namespace: string): number {
    const tree = this.newestTree;
    if (namespace === "") return tree.size;
    const { from, to } = positionsOf(tree, { namespace, name: undefined, namespaced: true });
    return to - from;
  }

  get tree(): EntryTree {
    return this.newestTree;
  }

  /** The revision up to which every change of the store, of this resource or not, is in here. */
  get revision(): number {
    return this.closedAt ?? this.parts.progress.revision;
  }

  /** Set when it hears of nothing any more: another one has taken its place, or nobody serves the resource. */
  get isClosed(): boolean {
    return this.closedAt !== undefined;
  }

  /** What is stored and cannot be read: in no state, and in nobody's list. */
  get unreadable(): Pick<UnreadableObjects, "in" | "get"> {
    return this.unreadableNow;
  }

  peek(path: string): StoredEntry | undefined {
    return this.newestTree.get(orderForm(path));
  }

  /** Whether a change of the object takes long, as far as is known here. Of most resources none ever had, and nothing is looked up. */
  isLarge(path: string): boolean {
    return (this.hadLong || this.form.byVersion !== undefined) && this.peek(path)?.takesLong === true;
  }

  /** Of the newest state the part that holds all of a selection: by an index where there is one, else the whole. */
  state(selection: Selection): CacheState {
    const tree = this.index?.narrowest(selection) ?? this.newestTree;
    return { tree, revision: this.revision, sequence: this.ring.nextSequence };
  }

  /** The state at a revision not newer than the cache; undefined when it must be read from the store. */
  treeAt(revision: number): EntryTree | undefined {
    return this.snapshots.at(revision, { tree: this.newestTree, since: this.changedAt }, this.ring);
  }

  /** Keeps the state at `revision` for the tokens that name it, when this cache has it. */
  keep(revision: number): void {
    if (revision >= this.changedAt) {
      this.snapshots.keep(this.newestTree, { since: this.changedAt, until: Number.POSITIVE_INFINITY });
    }
  }

  /** An entry of this server's own write, so that the change that will come of it need not be read again. */
  expect(entry: StoredEntry): void {
    if (this.parts.progress.follows && entry.resourceVersion > this.revision)
      this.ownWrites.set(entry.resourceVersion, entry);
  }

  /**
   * One change of the store.
   * @param item undefined: deleted
   * @param concerned told of every watcher that may see it
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

  /** Everything anew, after changes that were missed: who watches must list again. */
  reset(items: readonly (StoredItem | StoredEntry)[], revision: number): void {
    const requested = this.ring.startRevision;
    this.ownWrites.clear();
    // They would hold all that was there: who pages on is answered by the store.
    this.snapshots = new Snapshots(this.clock);
    this.ring.restart(revision);
    this.changedAt = revision;
    this.fill(items);
    for (const watcher of [...this.watchers]) {
      watcher.fail(expired(EXPIRED_TEXT.watchCache({ requested, oldest: revision })));
    }
  }

  /** Nothing of what is here holds any more; what does will follow by `reset`. */
  restored(): void {
    this.reset([], 0);
  }

  /** Ends every watch at once, because the server ends. */
  close(): void {
    this.closedAt ??= this.revision;
    for (const watcher of [...this.watchers]) watcher.close();
  }

  /**
   * Hears of nothing from here on: the resource is served differently now, or not any more. Watches end in good order, with the last change.
   * @param why see `CacheWatcher.finish`
   */
  finish(why?: StatusError): void {
    this.closedAt ??= this.revision;
    this.ownWrites.clear();
    for (const watcher of [...this.watchers]) watcher.finish(why);
  }

  /** At the cache's revision; one value for all who are sent it. */
  bookmark(): BookmarkEvent {
    if (this.lastBookmark?.resourceVersion !== this.revision) this.lastBookmark = new BookmarkEvent(this.revision);
    return this.lastBookmark;
  }

  /**
   * @param by who has written it: by now, all do so by the present definition
   * @throws UnreadableObject for bytes that are no object of this resource
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
      // Two would hold the value then.
      if (item.inStore?.held !== undefined) item.inStore.heldIn?.(value, { at: 0, length: 0 });
      return stored === inStore && isEarlier ? new EarlierEntry(at, stored) : new ConvertedEntry(at, stored, inStore);
    } catch (error) {
      throw new UnreadableObject(this.form.definition, item, error);
    }
  }

  /** Of what a store in this process holds as it is served. @returns undefined where it has to be read first */
  private heldEntry(item: StoredItem): StoredEntry | undefined {
    const held = item.mark === undefined ? item.inStore?.held : undefined;
    if (held === undefined || this.form.definition.renew !== undefined) return undefined;
    const { whole } = held;
    if (this.parts.codec.decode(whole) !== whole) return undefined;
    const form = formAsIs(this.form, whole);
    return form && StoredEntry.held(form, item, held);
  }

  /** The newest state as the store has it, for a cache that may come later: what cannot be read here, it may be able to. */
  items(): StoredItem[] {
    const read = this.newestTree.slice().map((entry) => entry.inItem(this.parts.codec));
    const unread = this.unreadableNow.items();
    return unread.length === 0 ? read : [...read, ...unread].sort(byPath);
  }

  /** Everything that the cache of another definition holds, as of this one: entries share their bytes where they read alike. */
  private continue(former: ResourceCache): void {
    const under = new Successors(this.form);
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
   * An item that a reset may bring, as it will be served. @param memory see `StoredEntry.serveIn`
   * @returns undefined where it can only be told then what it is
   */
  readAhead(item: StoredItem, memory: (bytes: number) => Buffer): StoredEntry | undefined {
    const read = readable(() => this.toEntry(item));
    if (read instanceof UnreadableObject) return undefined;
    // What a store in this process holds is not there for the list alone, and is not free by then.
    if (item.inStore === undefined) read.serveIn(memory);
    return read;
  }

  /** What was read ahead for this definition is read; another may have come since. */
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
