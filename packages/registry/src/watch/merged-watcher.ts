// One client's position in the changes of several resources of one store. The initial states come first, one resource
// after the other, all of one revision. The changes after it are merged by revision: an event of revision R is due when
// every other watcher has returned its events up to R. A revision is therefore complete for all resources when the first
// event of the next one is sent, and a client can resume after it. Source: docs/lists.md, "Watches of several resources".
import { type StatusError, toStatus } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import { BookmarkEvent, ErrorEvent } from "../changes/watch-event";
import type { WatchEvent, Watcher } from "../contract/operations";
import type { PartEvent, SeveralWatcher } from "../contract/several-resources";
import type { StoredEntry } from "../objects/stored-entry";
import { BOOKMARK_BEFORE_END_MS, BOOKMARK_EVERY_MS, LAST_READ_WITHIN_MS } from "./watch-times";
import type { CacheWatcher } from "./watcher";

export interface MergeOptions {
  readonly clock: Clock;
  /** The revision up to which the watch cache contains every change. */
  revision(): number;
  /** The revision of the initial states, or the one after which the watch begins. */
  readonly startRevision: number;
  readonly bookmarks: boolean;
  /** Annotation of the bookmark after the initial states; undefined: no bookmark. */
  readonly endMark: string | undefined;
  readonly timeoutMs: number;
}

/** Maximum number and size of the events of one resource that wait for their turn. */
const PART_EVENTS_MAX = 32;
const PART_BYTES_MAX = 32 * 1024;
/** Maximum number of resources that one call of `take` asks for events; each may examine thousands of changes. */
const FILLS_MAX = 8;

type Taken = { -readonly [Member in keyof PartEvent]: PartEvent[Member] };

export class MergedWatcher implements SeveralWatcher {
  private readonly parts: readonly Part[];
  /** Index of the resource whose initial state is sent; the number of resources: all are sent. */
  private initialAt = 0;
  private bookmarkDue = false;
  /** Set when the time is up, or a resource ends: the last revision that is sent. */
  private lastRevision = Number.POSITIVE_INFINITY;
  private readonly deadline: number;
  private bookmarkAt: number;
  private cancelTimer: (() => void) | undefined;
  private failure: StatusError | undefined;
  private endReason: Watcher["ended"];
  private callback: (() => void) | undefined;
  private told = false;
  /** Number of resources that the present call of `take` may still ask. */
  private fills = 0;

  /** @param watchers without bookmarks and without a deadline */
  constructor(
    watchers: readonly CacheWatcher[],
    private readonly options: MergeOptions,
  ) {
    const now = options.clock.elapsed();
    this.deadline = now + options.timeoutMs;
    this.bookmarkAt = options.bookmarks
      ? Math.min(now + BOOKMARK_EVERY_MS, this.deadline - BOOKMARK_BEFORE_END_MS)
      : Number.POSITIVE_INFINITY;
    this.parts = watchers.map((watcher, index) => new Part(watcher, index, () => this.tell()));
    this.setTimer();
  }

  get ended(): Watcher["ended"] {
    if (this.endReason !== undefined) return this.endReason;
    for (const { endedBadly } of this.parts) if (endedBadly !== undefined) return endedBadly;
    return undefined;
  }

  onReadable(callback: () => void): void {
    this.callback = callback;
  }

  take(max: number, bytesMax = Number.POSITIVE_INFINITY): readonly PartEvent[] {
    const taken = new Taking(max, bytesMax);
    this.told = false;
    this.fills = FILLS_MAX;
    const { ended } = this;
    if (ended !== undefined) {
      if (this.endReason === undefined) this.end(ended);
      return taken.events;
    }
    if (this.failure !== undefined) return [this.failed(undefined, this.errorOf(this.failure))];
    if (this.initialAt < this.parts.length) this.takeInitial(taken);
    if (this.initialAt === this.parts.length && !taken.full) this.takeChanges(taken);
    if (this.fills === 0 && taken.events.length === 0) setImmediate(() => this.tell());
    return taken.events;
  }

  fail(error: StatusError): void {
    this.failure ??= error;
    this.tell();
  }

  close(): void {
    if (this.endReason === undefined) this.end("closed");
    this.tell();
  }

  private takeInitial(taken: Taking): void {
    const { startRevision, endMark } = this.options;
    while (this.initialAt < this.parts.length) {
      const part = this.parts[this.initialAt] as Part;
      const event = this.headOf(part);
      if (event === undefined && part.isInitial) return;
      if (event?.type === "ERROR") {
        taken.events.push(this.failed(part, event));
        return;
      }
      // A watcher may return its first changes together with the end of its initial state.
      if (event === undefined || event.resourceVersion > startRevision) {
        this.initialAt += 1;
        continue;
      }
      if (taken.full) return;
      part.shift();
      taken.add({ part: part.index, event, reached: undefined });
    }
    const last = taken.events.at(-1);
    if (endMark !== undefined) taken.events.push(bookmarkAt(startRevision, endMark));
    else if (last !== undefined) last.reached = startRevision;
  }

  private takeChanges(taken: Taking): void {
    let last: Taken | undefined;
    for (;;) {
      const { next, bound } = this.next();
      if (last !== undefined) {
        const { resourceVersion } = last.event;
        const isComplete = bound >= resourceVersion && next?.revision !== resourceVersion;
        if (isComplete) last.reached = resourceVersion;
      }
      if (next?.event.type === "ERROR") {
        taken.events.push(this.failed(next.part, next.event));
        return;
      }
      if (next === undefined || next.revision > bound) {
        this.afterLast(taken, next, bound);
        return;
      }
      if (taken.full) return;
      next.part.shift();
      last = { part: next.part.index, event: next.event, reached: undefined };
      taken.add(last);
    }
  }

  /**
   * Returns the first event in revision order, and the revision up to which the events that wait are all that there
   * are. An ERROR event is the first one whatever its revision.
   */
  private next(): { readonly next: Head | undefined; readonly bound: number } {
    let next: Head | undefined;
    let bound = this.lastRevision;
    for (const part of this.parts) {
      const event = this.headOf(part);
      if (event === undefined) {
        bound = Math.min(bound, part.takenTo);
        if (part.hasTimedOut) this.lastRevision = Math.min(this.lastRevision, part.takenTo);
        continue;
      }
      const revision = event.resourceVersion;
      if (event.type === "ERROR") return { next: { part, event, revision }, bound };
      if (next === undefined || revision < next.revision) next = { part, event, revision };
    }
    return { next, bound: Math.min(bound, this.lastRevision) };
  }

  /** Sends what follows the last event that is due. */
  private afterLast(taken: Taking, next: Head | undefined, bound: number): void {
    const isOver = bound >= this.lastRevision;
    const hasAll = next === undefined && this.parts.every(({ isReadable }) => !isReadable);
    if ((isOver || (this.bookmarkDue && hasAll)) && bound >= this.options.startRevision) {
      this.bookmarkDue = false;
      if (this.options.bookmarks) taken.events.push(bookmarkAt(bound));
    }
    if (isOver) this.end("timeout");
  }

  private headOf(part: Part): WatchEvent | undefined {
    if (part.mustAsk && this.fills > 0) {
      this.fills -= 1;
      part.ask();
    }
    return part.head;
  }

  private errorOf(error: StatusError): ErrorEvent {
    return new ErrorEvent(this.options.revision(), toStatus(error));
  }

  /** Returns the last event, and ends the watch. */
  private failed(part: Part | undefined, event: WatchEvent): Taken {
    this.end("error");
    return { part: part?.index, event, reached: undefined };
  }

  private setTimer(): void {
    const { clock } = this.options;
    const atMs = Math.min(this.bookmarkAt, this.deadline);
    if (this.endReason !== undefined || atMs === Number.POSITIVE_INFINITY) return;
    this.cancelTimer = clock.after(Math.max(0, atMs - clock.elapsed()), () => this.onTime(), { background: true });
  }

  private onTime(): void {
    const { clock } = this.options;
    const now = clock.elapsed();
    if (now >= this.deadline) {
      this.timeUp();
      return;
    }
    const last = this.deadline - BOOKMARK_BEFORE_END_MS;
    this.bookmarkDue = true;
    this.bookmarkAt = now >= last ? Number.POSITIVE_INFINITY : Math.min(now + BOOKMARK_EVERY_MS, last);
    this.setTimer();
    this.tell();
  }

  private timeUp(): void {
    const { clock, revision } = this.options;
    // An initial state that is incomplete is abandoned.
    if (this.initialAt < this.parts.length) this.end("timeout");
    else this.lastRevision = Math.min(this.lastRevision, revision());
    const late = () => {
      if (this.endReason === undefined) this.end("tooSlow");
      this.tell();
    };
    if (this.endReason === undefined) this.cancelTimer = clock.after(LAST_READ_WITHIN_MS, late, { background: true });
    this.tell();
  }

  private end(reason: NonNullable<Watcher["ended"]>): void {
    this.endReason = reason;
    this.cancelTimer?.();
    for (const part of this.parts) part.close();
  }

  private tell(): void {
    if (this.told || this.callback === undefined) return;
    this.told = true;
    this.callback();
  }
}

interface Head {
  readonly part: Part;
  readonly event: WatchEvent;
  readonly revision: number;
}

function bookmarkAt(revision: number, annotation?: string): Taken {
  return { part: undefined, event: new BookmarkEvent(revision, annotation), reached: revision };
}

/** The events of one resource that wait for their turn. */
class Part {
  private events: readonly WatchEvent[] = [];
  private at = 0;
  /** Whether the watcher may have further events. */
  isReadable = true;

  constructor(
    private readonly watcher: CacheWatcher,
    readonly index: number,
    told: () => void,
  ) {
    watcher.onReadable(() => {
      this.isReadable = true;
      told();
    });
  }

  get head(): WatchEvent | undefined {
    return this.events[this.at];
  }

  get mustAsk(): boolean {
    return this.isReadable && this.at === this.events.length;
  }

  get isInitial(): boolean {
    return this.watcher.isInitial;
  }

  /** Every event up to this revision has been taken or waits here. */
  get takenTo(): number {
    return this.watcher.takenTo;
  }

  /** Whether no event follows, because the cache of the resource has been replaced. */
  get hasTimedOut(): boolean {
    return this.watcher.ended === "timeout";
  }

  /** An end that is not told by an event. */
  get endedBadly(): "tooSlow" | "closed" | undefined {
    const { ended } = this.watcher;
    return ended === "tooSlow" || ended === "closed" ? ended : undefined;
  }

  ask(): void {
    this.events = this.watcher.take(PART_EVENTS_MAX, PART_BYTES_MAX);
    this.at = 0;
    this.isReadable = this.events.length > 0;
  }

  shift(): void {
    this.at += 1;
  }

  close(): void {
    this.events = [];
    this.at = 0;
    this.watcher.close();
  }
}

/** The events of one call of `take`, up to its limits. */
class Taking {
  readonly events: Taken[] = [];
  private bytes = 0;

  constructor(
    private readonly max: number,
    private readonly bytesMax: number,
  ) {}

  get full(): boolean {
    return this.events.length >= this.max || this.bytes >= this.bytesMax;
  }

  add(taken: Taken): void {
    this.events.push(taken);
    const { event } = taken;
    // The cache returns this class.
    if ("entry" in event) this.bytes += (event.entry as StoredEntry).weight;
  }
}
