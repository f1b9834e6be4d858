// All objects of one resource as the watch cache knows them: the newest state, past states, recent changes, and who watches.

import { EXPIRED_TEXT, expired } from "@orch/machinery";
import type { ValueCodec } from "@orch/store";
import { Change } from "./change";
import type { Clock } from "./clock";
import { EventRing, RING_BOUNDS } from "./event-ring";
import { FieldIndex } from "./field-index";
import { orderKey } from "./key-layout";
import { OrderedTree } from "./ordered-tree";
import type { Selection } from "./registry";
import { normalizeStored, type ResourceForm } from "./resource-form";
import { type EntryTree, Snapshots } from "./snapshots";
import { ConvertedEntry, StoredEntry } from "./stored-entry";
import { BookmarkEvent } from "./watch-event";
import type { CacheWatcher } from "./watcher";
import { WatcherIndex } from "./watcher-index";

/** One object as the store has it. */
export interface StoredItem {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly modRevision: number;
  readonly value: Buffer;
}

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
  /** Told of stored values that are no objects; such a value is treated as absent. */
  readonly unreadable: (key: StoredItem, error: unknown) => void;
  /** Told when the ring of recent changes takes on another size. */
  readonly resized?: (change: "grown" | "shrunk") => void;
}

export class ResourceCache {
  readonly ring: EventRing;
  readonly watchers = new WatcherIndex<CacheWatcher>();
  readonly #parts: ResourceCacheParts;
  readonly #snapshots: Snapshots;
  readonly #ownWrites = new Map<number, StoredEntry>();
  #tree: EntryTree = OrderedTree.empty();
  /** Revision of the last change of this resource. */
  #changedAt: number;
  #bookmark: BookmarkEvent | undefined;
  #index: FieldIndex | undefined;

  /** @param items in key order, all of the resource as of the progress' revision */
  constructor(parts: ResourceCacheParts, items: readonly StoredItem[]) {
    this.#parts = parts;
    this.#snapshots = new Snapshots(parts.clock);
    this.#changedAt = parts.progress.revision;
    this.ring = new EventRing(parts.progress.revision, RING_BOUNDS, parts.resized);
    this.#fill(items);
  }

  get form(): ResourceForm {
    return this.#parts.form;
  }

  get clock(): Clock {
    return this.#parts.clock;
  }

  get tree(): EntryTree {
    return this.#tree;
  }

  /** The revision up to which every change of the store, of this resource or not, is in here. */
  get revision(): number {
    return this.#parts.progress.revision;
  }

  peek(path: string): StoredEntry | undefined {
    return this.#tree.get(orderKey(path));
  }

  /** The part of the newest state that holds all of a selection: by an index where there is one, else the whole. */
  narrowed(selection: Selection): EntryTree {
    return this.#index?.narrowest(selection) ?? this.#tree;
  }

  /** The state at a revision not newer than the cache; undefined when it must be read from the store. */
  treeAt(revision: number): EntryTree | undefined {
    return this.#snapshots.at(revision, { tree: this.#tree, since: this.#changedAt }, this.ring);
  }

  /** Keeps the state at `revision` for the tokens that name it, when this cache has it. */
  keep(revision: number): void {
    if (revision >= this.#changedAt) {
      this.#snapshots.keep(this.#tree, { since: this.#changedAt, until: Number.POSITIVE_INFINITY });
    }
  }

  /** An entry of this server's own write, so that the change that will come of it need not be read again. */
  expect(entry: StoredEntry): void {
    if (this.#parts.progress.follows && entry.resourceVersion > this.revision)
      this.#ownWrites.set(entry.resourceVersion, entry);
  }

  /**
   * One change of the store.
   * @param value undefined: deleted
   * @param concerned told of every watcher that may see it
   */
  apply(
    { path, revision, value }: { readonly path: string; readonly revision: number; readonly value: Buffer | undefined },
    concerned: (watcher: CacheWatcher, sequence: number) => void,
  ): void {
    const key = orderKey(path);
    const previous = this.#tree.get(key);
    const entry = value === undefined ? undefined : this.#entryFor({ path, modRevision: revision, value });
    if (entry === undefined && previous === undefined) return;
    this.#snapshots.changed(revision);
    this.#tree = entry === undefined ? this.#tree.delete(key) : this.#tree.set(key, entry);
    this.#index?.apply(entry, previous);
    this.#changedAt = revision;
    const change = new Change(revision, entry, previous, this.clock.now());
    const sequence = this.ring.nextSequence;
    this.ring.append(change);
    this.watchers.forEachConcerned(change, (watcher) => concerned(watcher, sequence));
  }

  /** Everything anew, after changes that were missed: who watches must list again. */
  reset(items: readonly StoredItem[], revision: number): void {
    const requested = this.ring.startRevision;
    this.#ownWrites.clear();
    this.#snapshots.changed(this.#changedAt + 1);
    this.ring.restart(revision);
    this.#changedAt = revision;
    this.#fill(items);
    for (const watcher of [...this.watchers]) {
      watcher.fail(expired(EXPIRED_TEXT.watchCache({ requested, oldest: revision })));
    }
  }

  /** Ends every watch, because the resource is not served any more, or served differently. */
  close(): void {
    for (const watcher of [...this.watchers]) watcher.close();
  }

  /** At the cache's revision; one value for all who are sent it. */
  bookmark(): BookmarkEvent {
    if (this.#bookmark?.resourceVersion !== this.revision) this.#bookmark = new BookmarkEvent(this.revision);
    return this.#bookmark;
  }

  /** @returns undefined for bytes that are no object of this resource */
  toEntry(item: StoredItem): StoredEntry | undefined {
    try {
      const inStore = this.#parts.codec.decode(item.value);
      const stored = normalizeStored(this.form, inStore);
      if (stored === inStore) return new StoredEntry(this.form, item.path, item.modRevision, stored);
      return new ConvertedEntry(
        { form: this.form, path: item.path, resourceVersion: item.modRevision },
        stored,
        inStore,
      );
    } catch (error) {
      this.#parts.unreadable(item, error);
      return undefined;
    }
  }

  /** The newest state as the store has it, for a cache of another form of the same resource. */
  items(): StoredItem[] {
    return this.#tree.slice().map((entry) => ({
      path: entry.path,
      modRevision: entry.resourceVersion,
      value: this.#parts.codec.encode(entry.inStore()),
    }));
  }

  #entryFor(item: StoredItem): StoredEntry | undefined {
    const own = this.#ownWrites.get(item.modRevision);
    if (own === undefined || own.path !== item.path) return this.toEntry(item);
    this.#ownWrites.delete(item.modRevision);
    return own;
  }

  #fill(items: readonly StoredItem[]): void {
    const keys: string[] = [];
    const entries: StoredEntry[] = [];
    for (const item of items) {
      const entry = this.toEntry(item);
      if (entry === undefined) continue;
      keys.push(orderKey(item.path));
      entries.push(entry);
    }
    this.#tree = OrderedTree.fromSorted(keys, entries);
    this.#index = FieldIndex.of(this.form.definition, keys, entries);
  }
}
