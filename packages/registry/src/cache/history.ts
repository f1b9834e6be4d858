// Changes that are older than a ring but not compacted, read from the store on demand. A server that has just started
// serves the whole retained window this way: the first client that resumes from before its start causes one read, which
// serves all others too. The source is the store's watch of the whole key space, because there every revision brings an
// event, so a named end is certainly reached. Results are kept in segments of bounded size; the least recently used
// segments are dropped first.
//
//   client saw 120, ring starts at 900:   segment 120..480   segment 480..900   ring

import { EXPIRED_TEXT, expired } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { revisionOf, type Store, StoreError, type StoreErrorCode, type StoreEvent } from "@orch/store";
import { Change } from "../changes/change";
import { type KeySpace, resourcePath, splitKey } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { type StoredItem, storedItem } from "../objects/stored-item";
import { readable, UnreadableObject } from "../objects/unreadable-objects";
import type { HistoryPart } from "../watch/watcher";
import type { ResourceCache } from "./resource-cache";

interface Segment {
  /** Holds the events after `from`, up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** Events by `<group or core>/<resource>`. */
  readonly events: ReadonlyMap<string, readonly ResourceEvent[]>;
  /** The events as changes of objects, built for the resources that are watched. */
  readonly changes: WeakMap<ResourceCache, Promise<readonly Change[]>>;
}

interface ResourceEvent {
  readonly path: string;
  readonly revision: number;
  /** Undefined: deleted. */
  readonly item: StoredItem | undefined;
  readonly isFirst: boolean;
}

/** Errors after which the history can never be read. */
const GONE: readonly StoreErrorCode[] = ["compacted", "restored", "futureRevision"];

const SEGMENT_EVENTS = 5_000;
const SEGMENT_BYTES = 8 * 1024 * 1024;
const KEPT_BYTES = 64 * 1024 * 1024;
const READ_TIMEOUT_MS = 10_000;
const READS_AT_ONCE = 64;

export class History {
  /** Segments in order of use, the most recently used last. */
  private segments: Segment[] = [];
  private epoch = 0;
  private reading: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: { readonly store: Store; readonly prefix: string; readonly clock: Clock }) {}

  /**
   * Returns the next changes of a resource after a revision older than its ring: at least up to the next event of the
   * store.
   * @throws StatusError Expired (410) when the store has compacted them
   * @throws StoreError when the store cannot be read now
   */
  async read(cache: ResourceCache, keys: KeySpace, after: number): Promise<HistoryPart> {
    try {
      const segment = await this.segment(after, cache.ring);
      let changes = segment.changes.get(cache);
      if (changes === undefined) {
        changes = this.changesIn(segment, cache, keys);
        segment.changes.set(cache, changes);
        changes.catch(() => segment.changes.delete(cache));
      }
      return { changes: (await changes).filter(({ revision }) => revision > after), to: segment.to };
    } catch (error) {
      if (!(error instanceof StoreError) || !GONE.includes(error.code)) throw error;
      const oldest = error.compactRevision ?? cache.ring.startRevision;
      throw expired(EXPIRED_TEXT.watchCache({ requested: after, oldest }));
    }
  }

  /** Drops all segments: the store has been restored to an earlier state, so its history is another one. */
  forget(): void {
    this.epoch += 1;
    this.segments = [];
  }

  private async segment(after: number, ring: { readonly startRevision: number }): Promise<Segment> {
    const known = this.known(after);
    if (known !== undefined) return known;
    // Read one segment at a time: most waiting callers find that it covers their revision.
    const turn = this.reading.then(async () => this.known(after) ?? (await this.load(after, ring.startRevision)));
    this.reading = turn.catch(() => {});
    return turn;
  }

  private known(after: number): Segment | undefined {
    const at = this.segments.findIndex(({ from, to }) => from <= after && after < to);
    if (at < 0) return undefined;
    const [segment] = this.segments.splice(at, 1) as [Segment];
    this.segments.push(segment);
    return segment;
  }

  private async load(after: number, ringStart: number): Promise<Segment> {
    const target = this.segments.reduce((end, { from }) => (from > after && from < end ? from : end), ringStart);
    // A store may start a watch slightly before its compacted revision. A range read at the same revision is checked
    // strictly.
    await this.parts.store.range(
      { start: "\0", limit: 1, keysOnly: true, revision: after },
      { timeoutMs: READ_TIMEOUT_MS },
    );
    const epoch = this.epoch;
    const segment = await this.follow(after, target);
    if (epoch !== this.epoch)
      throw new StoreError("restored", "the store was restored from a backup during the operation");
    this.segments.push(segment);
    this.dropOldest();
    return segment;
  }

  private dropOldest(): void {
    let kept = this.segments.reduce((sum, { bytes }) => sum + bytes, 0);
    while (kept > KEPT_BYTES && this.segments.length > 1) kept -= this.segments.shift()?.bytes ?? 0;
  }

  private follow(after: number, target: number): Promise<Segment> {
    const { store, prefix, clock } = this.parts;
    const events = new Map<string, ResourceEvent[]>();
    let count = 0;
    let bytes = 0;
    return new Promise((resolve, reject) => {
      const timeUp = () => {
        reject(new StoreError("unavailable", "timed out while reading the store's history"));
        watch.close();
      };
      const cancel = clock.after(READ_TIMEOUT_MS, timeUp, { background: true });
      let done = false;
      const watch = store.watch(
        { start: "\0", end: "\0", fromRevision: after + 1 },
        {
          batch: (batch) => {
            if (done) return;
            for (const event of batch.events) {
              if (revisionOf(event) > target) continue;
              count += 1;
              bytes += collect(events, prefix, event);
            }
            if (batch.revision < target && count < SEGMENT_EVENTS && bytes < SEGMENT_BYTES) return;
            done = true;
            cancel();
            watch.close();
            const to = Math.min(batch.revision, target);
            resolve({ from: after, to, bytes, events, changes: new WeakMap() });
          },
          ended: (reason) => {
            cancel();
            if (!done) reject(reason === "closed" ? new StoreError("closed", "the store was closed") : reason);
          },
        },
      );
    });
  }

  /** Adds the previous state to each event: from the event before it, or from the store at the start of the segment. */
  private async changesIn(segment: Segment, cache: ResourceCache, keys: KeySpace): Promise<readonly Change[]> {
    const { group, plural } = cache.form.definition;
    const events = segment.events.get(resourcePath(group, plural)) ?? [];
    const state = new Map<string, StoredEntry | undefined>();
    const older = pathsThatExisted(events);
    for (let at = 0; at < older.length; at += READS_AT_ONCE) {
      const paths = older.slice(at, at + READS_AT_ONCE);
      const entries = await Promise.all(paths.map((path) => this.entryAt(cache, keys, path, segment.from)));
      paths.forEach((path, i) => void state.set(path, entries[i]));
    }
    const now = this.parts.clock.elapsed();
    const changes: Change[] = [];
    for (const { path, revision, item } of events) {
      const previous = state.get(path);
      const entry = item && readable(() => cache.toEntry(item));
      // Watchers get no events for unreadable objects, the same as in the cache.
      if (entry instanceof UnreadableObject) continue;
      state.set(path, entry);
      if (entry !== undefined || previous !== undefined) changes.push(new Change(revision, entry, previous, now));
    }
    return changes;
  }

  private async entryAt(
    cache: ResourceCache,
    keys: KeySpace,
    path: string,
    revision: number,
  ): Promise<StoredEntry | undefined> {
    const { items } = await this.parts.store.range(
      { start: keys.start + path, revision },
      { timeoutMs: READ_TIMEOUT_MS },
    );
    const item = items[0];
    if (item === undefined) return undefined;
    const entry = readable(() => cache.toEntry(storedItem(path, item)));
    return entry instanceof UnreadableObject ? undefined : entry;
  }
}

/** Returns the paths whose first event in the segment is not a creation. */
function pathsThatExisted(events: readonly ResourceEvent[]): string[] {
  const seen = new Set<string>();
  return events.flatMap(({ path, isFirst }) => {
    if (seen.has(path)) return [];
    seen.add(path);
    return isFirst ? [] : [path];
  });
}

/** Adds an event to the segment. @returns the bytes kept for it */
function collect(events: Map<string, ResourceEvent[]>, prefix: string, event: StoreEvent): number {
  const split = splitKey(prefix, event.kind === "put" ? event.item.key : event.key);
  if (split === undefined) return 0;
  const item = event.kind === "put" ? storedItem(split.rest, event.item) : undefined;
  const kept: ResourceEvent = {
    path: split.rest,
    revision: revisionOf(event),
    item,
    isFirst: event.kind === "put" && event.item.version === 1,
  };
  const list = events.get(split.path);
  if (list === undefined) events.set(split.path, [kept]);
  else list.push(kept);
  return item?.value.length ?? 0;
}
