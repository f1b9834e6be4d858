// One open watch: takes events from its watcher as fast as the client reads them, and no faster. What is not taken stays in the
// registry's window, so that a client that does not read costs no memory here but its last piece; when it falls out of that window, or
// does not fetch that piece after its time, it is cut off.
import { StatusError } from "@orch/machinery";
import type { Entry, WatchEvent, Watcher } from "@orch/registry";
import type { RequestEnd } from "../pipeline/request-end";
import type { ObjectForm } from "../representations/forms/object-form";
import type { WakingStream, WatchFlusher } from "./watch-flusher";
import type { WatchOutlet } from "./watch-outlet";

export interface WatchStreamDeps {
  /** Of the request: its client has left, or all has been said. */
  readonly end: RequestEnd;
  readonly watcher: Watcher;
  readonly form: ObjectForm;
  readonly flusher: WatchFlusher;
  /** To be awaited before entries are framed; absent, nearly always, where no version has to be asked for. */
  readonly prepare?: (entries: readonly Entry[]) => Promise<void> | undefined;
  readonly figures: StreamFigures;
}

export interface StreamFigures {
  /** Told after each write. */
  sent(frames: readonly Buffer[]): void;
  /** Told once, when the stream is over. */
  closed(): void;
}

const entriesOf = (events: readonly WatchEvent[]): readonly Entry[] =>
  events.flatMap((event) => ("entry" in event ? [event.entry] : []));

/** Taken at once; more is taken when these have left. The bytes are what a client that does not read may hold here. */
const EVENTS_MAX = 256;
const BYTES_MAX = 256 * 1024;
/** For the client to fetch the last piece of a watch that is over. */
const LAST_READ_WITHIN_MS = 30_000;

export class WatchStream implements WakingStream {
  private readonly outlet: WatchOutlet;
  private readonly frame: (event: WatchEvent) => Buffer;
  /** The client has not taken what was sent. */
  private blocked = false;
  /** The next events are being prepared. */
  private preparing = false;
  private over = false;
  private lastRead: NodeJS.Timeout | undefined;

  /** @param open called once */
  constructor(
    private readonly deps: WatchStreamDeps,
    open: () => WatchOutlet,
  ) {
    const { end, watcher, form, flusher } = deps;
    this.frame = form.framer();
    end.addEventListener("abort", () => this.close());
    this.outlet = open();
    watcher.onReadable(() => flusher.wake(this));
    flusher.wake(this);
  }

  pump(): void {
    const { watcher, flusher } = this.deps;
    const { outlet } = this;
    if (this.over) return;
    while (!this.blocked && !this.preparing) {
      if (flusher.isTurnOver) {
        flusher.wake(this);
        return;
      }
      const events = watcher.take(EVENTS_MAX, BYTES_MAX);
      if (events.length === 0) break;
      const waiting = this.prepared(events);
      if (waiting === undefined) this.send(events, outlet);
      else this.sendLater(waiting, events, outlet);
    }
    if (watcher.ended === undefined || this.preparing) return;
    if (!this.blocked) this.end();
    else if (watcher.ended === "tooSlow") this.cutOff();
    else this.lastRead ??= setTimeout(() => this.cutOff(), LAST_READ_WITHIN_MS).unref();
  }

  private send(events: readonly WatchEvent[], outlet: WatchOutlet): void {
    const frames = new Array<Buffer>(events.length);
    for (let at = 0; at < events.length; at += 1) frames[at] = this.frame(events[at] as WatchEvent);
    if (!outlet.write(frames)) this.block(outlet);
    this.deps.figures.sent(frames);
  }

  /** Nearly always there is nothing to wait for. */
  private prepared(events: readonly WatchEvent[]): Promise<void> | undefined {
    if (this.deps.prepare !== undefined) return this.deps.prepare(entriesOf(events));
    for (const event of events) {
      if ("entry" in event && event.entry.isLarge) return this.deps.form.prepare(entriesOf(events));
    }
    return undefined;
  }

  private sendLater(waiting: Promise<void>, events: readonly WatchEvent[], outlet: WatchOutlet): void {
    this.preparing = true;
    waiting.then(
      () => {
        if (this.over) return;
        this.preparing = false;
        this.send(events, outlet);
        this.deps.flusher.run(this);
      },
      (error: unknown) => this.failed(error),
    );
  }

  /** What cannot be framed is not passed over: the client is told, and lists again. */
  private failed(error: unknown): void {
    if (this.over) return;
    if (!(error instanceof StatusError)) {
      this.cutOff();
      return;
    }
    this.preparing = false;
    this.deps.watcher.fail(error);
    this.deps.flusher.run(this);
  }

  /** The client does not read, and will not: only breaking off can tell it so. */
  cutOff(): void {
    if (this.over) return;
    this.outlet.cutOff();
    this.close();
  }

  /** Until the client has taken what was sent. */
  private block({ out }: WatchOutlet): void {
    this.blocked = true;
    out.once("drain", () => {
      this.blocked = false;
      this.deps.flusher.run(this);
    });
  }

  /** The end of what is sent, and no more. */
  end(): void {
    if (this.over) return;
    this.outlet.end();
    this.close();
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.lastRead);
    this.deps.watcher.close();
    this.deps.figures.closed();
  }
}
