// One client's position in the changes of a resource. It moves through up to three stages:
//
//   initial   the state at the start, from an immutable tree, object by object as the client reads
//   replay    changes older than the ring, from the store's history, piece by piece
//   live      a sequence number in the ring; none while the client has seen everything
//
// Nothing is queued for a client. A client that does not read costs one number; the watch ends when the ring has moved
// past it. Source: docs/architecture.md, "Watches".

import { isReason, type StatusError, toStatus } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { Change } from "../changes/change";
import type { EventRing } from "../changes/event-ring";
import { BookmarkEvent, ErrorEvent, ObjectEvent } from "../changes/watch-event";
import type { WatchEvent, Watcher, WatchRequest } from "../contract/operations";
import type { ResourceForm } from "../objects/resource-form";
import { type EntryPredicate, nameSelected, predicateOf } from "../objects/selection";
import type { EntryTree } from "../snapshots/snapshots";
import { positionsOf } from "../snapshots/tree-positions";
import { BOOKMARK_BEFORE_END_MS, BOOKMARK_EVERY_MS, LAST_READ_WITHIN_MS } from "./watch-times";
import type { WatcherIndex } from "./watcher-index";

/** Changes of one resource in revision order: all after the requested revision, up to `to`. */
export interface HistoryPart {
  readonly changes: readonly Change[];
  readonly to: number;
}

/** Reads changes from the store's history. @throws StatusError Expired when the store has compacted them */
type ReadHistory = (afterRevision: number) => Promise<HistoryPart>;

export type WatcherStart =
  | {
      readonly stage: "initial";
      readonly tree: EntryTree;
      readonly revision: number;
      /** Sequence number of the first change that is not in the tree. */
      readonly sequence: number;
      /** Annotation of the bookmark after the initial objects; undefined: no bookmark. */
      readonly endMark: string | undefined;
    }
  | { readonly stage: "replay"; readonly revision: number; readonly history: ReadHistory }
  /** @param sequence sequence number of the first change after the revision */
  | { readonly stage: "live"; readonly revision: number; readonly sequence: number };

type Stage =
  | {
      readonly name: "initial";
      readonly tree: EntryTree;
      next: number;
      readonly end: number;
      readonly mark: BookmarkEvent | undefined;
    }
  | {
      readonly name: "replay";
      readonly history: ReadHistory;
      seenTo: number;
      part: HistoryPart | undefined;
      next: number;
      loading: boolean;
    }
  | { readonly name: "live" };

const LIVE: Stage = { name: "live" };
const HISTORY_RETRY_MS = 500;
const CAUGHT_UP = -1;

/** The cache that is watched. */
export interface WatchedCache {
  readonly clock: Clock;
  readonly form: ResourceForm;
  readonly ring: EventRing;
  readonly watchers: WatcherIndex<CacheWatcher>;
  readonly revision: number;
  readonly isClosed: boolean;
  bookmark(): BookmarkEvent;
}

export class CacheWatcher implements Watcher {
  /** Number of objects of the initial state, before label and field selection. */
  readonly initialCount: number;
  private readonly cache: WatchedCache;
  private readonly request: WatchRequest;
  private readonly matches: EntryPredicate | undefined;
  /** Changes up to this revision are not sent: the client has them, or waits for a later revision. */
  private readonly after: number;
  private deadline: number;
  private stage: Stage;
  /**
   * Sequence number of the next change to examine; CAUGHT_UP: no change since the last one examined concerns this
   * watcher.
   */
  private cursor: number;
  private bookmarkAt: number;
  private bookmarkDue = false;
  private failure: StatusError | undefined;
  /** Set when no further change will come: the error to send, if any, after the last event. */
  private finishing: { readonly why: StatusError | undefined } | undefined;
  /** Set when the time is up: the first sequence number that is no longer sent. */
  private lastSequence = Number.POSITIVE_INFINITY;
  private endReason: Watcher["ended"];
  private callback: (() => void) | undefined;
  private told = false;
  /** The value of `takenTo` when events that were due were given up. */
  private abandonedAt: number | undefined;

  constructor(cache: WatchedCache, request: WatchRequest, start: WatcherStart) {
    const now = cache.clock.elapsed();
    this.cache = cache;
    this.request = request;
    this.matches = predicateOf(request.namespace, request.selection);
    this.after = start.revision;
    this.deadline = now + request.timeoutMs;
    this.bookmarkAt = Math.min(now + BOOKMARK_EVERY_MS, this.deadline - BOOKMARK_BEFORE_END_MS);
    this.cursor = cursorAt(cache, start);
    this.stage = stageOf(start, request, this.namespaced);
    this.initialCount = this.stage.name === "initial" ? this.stage.end - this.stage.next : 0;
    if (cache.isClosed) this.endReason = "closed";
    else cache.watchers.add(this, request, this.namespaced);
  }

  get ended(): Watcher["ended"] {
    return this.endReason;
  }

  /** Whether objects of the initial state may still be taken. */
  get isInitial(): boolean {
    return this.stage.name === "initial";
  }

  /** The revision up to which every event of this watcher was taken; -1 before the end of the initial state. */
  get takenTo(): number {
    const { stage, cache, cursor, abandonedAt } = this;
    if (abandonedAt !== undefined) return abandonedAt;
    if (stage.name === "initial") return -1;
    if (stage.name === "replay") {
      const next = stage.part?.changes[stage.next];
      return next === undefined ? (stage.part?.to ?? stage.seenTo) : next.revision - 1;
    }
    const next = cursor === CAUGHT_UP ? undefined : cache.ring.at(cursor);
    if (next !== undefined) return next.revision - 1;
    return this.isBehindRing() ? this.after : cache.revision;
  }

  take(max: number, bytesMax = Number.POSITIVE_INFINITY): readonly WatchEvent[] {
    const taken = new Taking(max, bytesMax);
    this.told = false;
    if (this.endReason !== undefined) return taken.events;
    if (this.stage.name === "initial") this.takeInitial(this.stage, taken);
    if (this.stage.name === "replay") this.takeReplay(this.stage, taken);
    if (this.stage.name === "live" && !taken.full) this.takeLive(taken);
    if (this.failure !== undefined && !taken.full) {
      taken.events.push(new ErrorEvent(this.cache.revision, toStatus(this.failure)));
      this.end("error");
    }
    // More events may follow the ones that were passed over.
    if (taken.hasLookedEnough) setImmediate(() => this.tell());
    return taken.events;
  }

  onReadable(callback: () => void): void {
    this.callback = callback;
  }

  close(): void {
    if (this.endReason === undefined) this.end("closed");
    this.tell();
  }

  /** Offers a change in the ring that may concern this watcher. @returns whether the watcher must be woken */
  offer(sequence: number): boolean {
    if (this.cursor !== CAUGHT_UP || this.stage.name !== "live") return false;
    this.cursor = sequence;
    return true;
  }

  /** Notifies the client that `take` has something. */
  wake(): void {
    this.tell();
  }

  /** Ends the watch with an ERROR event as its last event. */
  fail(error: StatusError): void {
    this.failure ??= error;
    this.abandon();
    this.tell();
  }

  /**
   * Ends the watch after the events that are still due, because the cache receives no further changes.
   * @param why sent in an ERROR event at the end; absent when the client can continue with a new watch
   */
  finish(why?: StatusError): void {
    if (this.endReason !== undefined) return;
    this.finishing = { why };
    this.bookmarkDue = this.request.bookmarks;
    this.deadline = Math.min(this.deadline, this.cache.clock.elapsed());
    this.timeUp();
    this.tell();
  }

  /** Called regularly for every watcher, by one timer for all. */
  tick(now: number): void {
    if (this.endReason !== undefined) return;
    if (this.isBehindRing() || now >= this.deadline + LAST_READ_WITHIN_MS) this.end("tooSlow");
    else if (now >= this.deadline) this.timeUp();
    else if (this.request.bookmarks && now >= this.bookmarkAt) {
      const last = this.deadline - BOOKMARK_BEFORE_END_MS;
      this.bookmarkDue = true;
      this.bookmarkAt = now >= last ? Number.POSITIVE_INFINITY : Math.min(now + BOOKMARK_EVERY_MS, last);
    } else return;
    this.tell();
  }

  private takeInitial(stage: Stage & { name: "initial" }, taken: Taking): void {
    while (stage.next < stage.end && !taken.full) {
      const entry = stage.tree.at(stage.next);
      stage.next += 1;
      if (entry === undefined) continue;
      if (this.matches === undefined || this.matches(entry)) taken.add(new ObjectEvent("ADDED", entry));
      else taken.pass(entry.weight);
    }
    if (stage.next < stage.end || taken.full) return;
    if (stage.mark !== undefined) taken.events.push(stage.mark);
    this.stage = LIVE;
  }

  private takeReplay(stage: Stage & { name: "replay" }, taken: Taking): void {
    while (!taken.full) {
      if (stage.part === undefined) {
        if (stage.seenTo >= this.cache.ring.startRevision) {
          this.cursor = this.cache.ring.sequenceAfter(stage.seenTo);
          this.stage = LIVE;
        } else if (!stage.loading) void this.load(stage);
        return;
      }
      const change = stage.part.changes[stage.next];
      stage.next += 1;
      if (change === undefined) {
        stage.seenTo = stage.part.to;
        stage.part = undefined;
      } else {
        const event = change.seenBy(this.matches);
        if (event === undefined) taken.pass();
        else taken.add(event);
      }
    }
  }

  private async load(stage: Stage & { name: "replay" }): Promise<void> {
    stage.loading = true;
    try {
      stage.part = await stage.history(stage.seenTo);
      stage.next = 0;
      stage.loading = false;
    } catch (error) {
      if (isExpired(error)) {
        this.fail(error);
        return;
      }
      // The store is temporarily unavailable. The replay is retried until the watch's deadline.
      const again = () => {
        stage.loading = false;
        this.tell();
      };
      this.cache.clock.after(HISTORY_RETRY_MS, again, { background: true });
      return;
    }
    this.tell();
  }

  private takeLive(taken: Taking): void {
    if (this.isBehindRing()) {
      this.end("tooSlow");
      return;
    }
    const ring = this.cache.ring;
    if (this.cursor !== CAUGHT_UP) {
      const end = Math.min(ring.nextSequence, this.lastSequence);
      while (this.cursor < end && !taken.full) {
        const change = ring.at(this.cursor) as Change;
        this.cursor += 1;
        if (change.revision <= this.after) continue;
        const event = change.seenBy(this.matches);
        if (event === undefined) taken.pass();
        else taken.add(event);
      }
      if (this.cursor < end) return;
      this.cursor = CAUGHT_UP;
    }
    if (this.bookmarkDue && !taken.full && this.cache.revision >= this.after && this.hasSeenAll) {
      this.bookmarkDue = false;
      taken.events.push(this.cache.bookmark());
    }
    if (this.lastSequence === Number.POSITIVE_INFINITY) return;
    if (this.finishing?.why === undefined) this.end("timeout");
    else this.failure = this.finishing.why;
  }

  /** Whether all changes were sent. After the deadline, later changes may exist that are no longer sent. */
  private get hasSeenAll(): boolean {
    return this.lastSequence >= this.cache.ring.nextSequence;
  }

  private isBehindRing(): boolean {
    return this.stage.name !== "replay" && this.cursor !== CAUGHT_UP && this.cursor < this.cache.ring.firstSequence;
  }

  private timeUp(): void {
    const goesOn = this.stage.name === "live" || (this.stage.name === "initial" && this.finishing !== undefined);
    if (!goesOn) {
      // An initial state or a replay that is incomplete at the deadline is abandoned.
      this.abandon();
      this.bookmarkDue = false;
    }
    this.lastSequence = Math.min(this.lastSequence, this.cache.ring.nextSequence);
  }

  private abandon(): void {
    this.abandonedAt ??= this.takenTo;
    this.stage = LIVE;
    this.cursor = CAUGHT_UP;
  }

  private end(reason: NonNullable<Watcher["ended"]>): void {
    this.endReason = reason;
    this.cache.watchers.remove(this, this.request, this.namespaced);
  }

  private get namespaced(): boolean {
    return this.cache.form.definition.scope === "Namespaced";
  }

  private tell(): void {
    if (this.told || this.callback === undefined) return;
    this.told = true;
    this.callback();
  }
}

/**
 * Maximum number of unselected objects and changes passed over in one call of `take`. Each part of a large object
 * counts.
 */
const PASSED_MAX = 2000;
const BYTES_OF_A_PART = 64 * 1024;

/** The events of one call of `take`, up to its limits. The first event is always accepted. */
class Taking {
  readonly events: WatchEvent[] = [];
  private bytes = 0;
  private passed = 0;

  constructor(
    private readonly max: number,
    private readonly bytesMax: number,
  ) {}

  get full(): boolean {
    return this.events.length >= this.max || this.bytes >= this.bytesMax || this.hasLookedEnough;
  }

  get hasLookedEnough(): boolean {
    return this.passed >= PASSED_MAX;
  }

  /** @param bytes size of the object passed over */
  pass(bytes = 0): void {
    this.passed += 1 + Math.floor(bytes / BYTES_OF_A_PART);
  }

  add(event: ObjectEvent): void {
    this.events.push(event);
    this.bytes += event.entry.weight;
  }
}

/** Returns the first position to examine. A replay examines the ring only after it has reached it. */
function cursorAt({ ring }: WatchedCache, start: WatcherStart): number {
  if (start.stage === "replay") return ring.nextSequence;
  return start.stage === "live" && start.sequence === ring.nextSequence ? CAUGHT_UP : start.sequence;
}

function stageOf(start: WatcherStart, { namespace, selection }: WatchRequest, namespaced: boolean): Stage {
  switch (start.stage) {
    case "live":
      return LIVE;
    case "replay":
      return {
        name: "replay",
        history: start.history,
        seenTo: start.revision,
        part: undefined,
        next: 0,
        loading: false,
      };
    case "initial": {
      const { from, to } = positionsOf(start.tree, { namespace, name: nameSelected(selection), namespaced });
      const mark = start.endMark === undefined ? undefined : new BookmarkEvent(start.revision, start.endMark);
      return { name: "initial", tree: start.tree, next: from, end: to, mark };
    }
  }
}

function isExpired(error: unknown): error is StatusError {
  return isReason(error, "Expired");
}
