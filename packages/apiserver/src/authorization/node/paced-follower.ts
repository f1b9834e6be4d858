// Told of every object of one resource and of each change, in the turns of the event loop that are left: for those whom one object may
// keep busy for long, or ten thousand. Whoever asks may have it catch up at once, as far as that takes no more than a turn.
import { errorFields, type Log } from "@orch/platform";
import { type Entry, follow, type LoopTurns, type ResourceStorage, type Watcher } from "@orch/registry";

export interface PacedFollowerParts {
  readonly storage: ResourceStorage;
  readonly loop: LoopTurns;
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** It is there, or has changed. In steps: between two, others may have their turn. */
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

  /** Resolves once it has told of all that is there. */
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

  /** Has it tell of what has happened. @returns a promise where that takes longer than what is left of this turn */
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

  /** @returns whether nothing is left to tell of */
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

  /** What one object holds keeps nobody from hearing of the others. */
  private *tell(object: string, act: () => Iterable<void>): Generator<void> {
    try {
      yield* act();
    } catch (error) {
      const { plural } = this.parts.storage.definition;
      this.parts.log.error("an object has no effect", { resource: plural, object, ...errorFields(error) });
    }
  }

  /** The watch has ended, because the cache was filled anew: begin again from its state. */
  private restart(): void {
    this.watcher = undefined;
    this.start().catch(async () => {
      await this.parts.pause(RETRY_MS);
      if (!this.closed) this.restart();
    });
  }
}
