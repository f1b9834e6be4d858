// Follows every object of one resource and its changes, in the idle time of the event loop: for followers that may need
// long for one object or for ten thousand. A caller may request to catch up at once, as far as that takes no more than
// one turn.
import { errorFields, type Log } from "@orch/platform";
import { type Entry, follow, type LoopTurns, type ResourceStorage, type Watcher } from "@orch/registry";

export interface PacedFollowerParts {
  readonly storage: ResourceStorage;
  readonly loop: LoopTurns;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** The object was added or changed. Runs in steps, between which other work may run. */
  changed(entry: Entry): Iterable<void>;
  removed(path: string): Iterable<void>;
}

const EVENTS = 100;
const RETRY_MS = 1000;
const NOTHING: Iterator<void> = [][Symbol.iterator]();

export class PacedFollower {
  private known = new Set<string>();
  private watcher: Watcher | undefined;
  private work: Iterator<void> = NOTHING;
  private pumping: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly parts: PacedFollowerParts) {}

  /** Resolves once all existing objects have been passed on. */
  async start(): Promise<void> {
    const watcher = await follow(this.parts.storage);
    if (this.closed) return watcher.close();
    this.watcher = watcher;
    const before = this.known;
    this.known = new Set();
    this.work = this.firstSteps(watcher, before);
    watcher.onReadable(() => void this.pump());
    await this.pump();
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  /** Passes on all past events. @returns a promise when that takes longer than the rest of this turn */
  caughtUp(): void | Promise<void> {
    if (this.pumping !== undefined || !this.advance()) return this.pump();
  }

  private pump(): Promise<void> {
    this.pumping ??= this.run().finally(() => {
      this.pumping = undefined;
    });
    return this.pumping;
  }

  private async run(): Promise<void> {
    while (!this.advance()) await this.parts.loop.next();
  }

  /** @returns whether no event is left */
  private advance(): boolean {
    const { watcher } = this;
    if (this.closed || watcher === undefined) return true;
    for (;;) {
      if (this.work.next().done === true) {
        if (watcher.ended !== undefined) {
          this.restart();
          return true;
        }
        const events = watcher.take(EVENTS);
        if (events.length === 0) return true;
        this.work = this.steps(events);
      }
      if (this.parts.loop.isOver) return false;
    }
  }

  private *firstSteps(watcher: Watcher, before: ReadonlySet<string>): Generator<void> {
    for (let events = watcher.take(EVENTS); events.length > 0; events = watcher.take(EVENTS)) yield* this.steps(events);
    for (const path of before) if (!this.known.has(path)) yield* this.tell(path, () => this.parts.removed(path));
  }

  private *steps(events: ReturnType<Watcher["take"]>): Generator<void> {
    for (const event of events) {
      if (!("entry" in event)) continue;
      const { entry } = event;
      const { path } = entry;
      if (event.type === "DELETED") {
        this.known.delete(path);
        yield* this.tell(path, () => this.parts.removed(path));
      } else {
        this.known.add(path);
        yield* this.tell(path, () => this.parts.changed(entry));
      }
      yield;
    }
  }

  /** A failure with one object does not affect the others. */
  private *tell(object: string, act: () => Iterable<void>): Generator<void> {
    try {
      yield* act();
    } catch (error) {
      const { plural } = this.parts.storage.definition;
      this.parts.log.error("an object has no effect", { resource: plural, object, ...errorFields(error) });
    }
  }

  /** Starts again from the state of the cache: the watch ended because the cache was refilled. */
  private restart(): void {
    this.watcher = undefined;
    this.start().catch(async () => {
      await this.parts.pause(RETRY_MS);
      if (!this.closed) this.restart();
    });
  }
}
