// One open watch. It takes events from its watcher as fast as the client reads them. Further events stay in the window
// of the registry, so that a slow client uses no memory here except for its last piece. A client that falls out of the
// window, or does not read that piece in time, is cut off.
import { StatusError } from "@orch/machinery";
import type { Watcher } from "@orch/registry";
import type { RequestContext } from "@orch/request";
import type { WakingStream, WatchFlusher } from "./watch-flusher";
import type { WatchSink } from "./watch-sink";

/** @param Event an event of the watcher */
export interface WatchStreamDeps<Event> {
  readonly context: Pick<RequestContext, "end" | "startWork" | "stopWork">;
  readonly watcher: Omit<Watcher, "take"> & { take(max: number, bytesMax?: number): readonly Event[] };
  readonly flusher: WatchFlusher;
  /** Awaited before events are framed. Usually there is nothing to wait for. */
  prepare(events: readonly Event[]): Promise<void> | undefined;
  /** Called for each event in order. */
  frame(event: Event): Buffer;
  readonly figures: StreamFigures<Event>;
}

export interface StreamFigures<Event> {
  /** Called after each write. */
  sent(frames: readonly Buffer[], events: readonly Event[]): void;
  /** Called once, when the stream has ended. @param isTooSlow whether the server ended it because the client is slow */
  closed(isTooSlow: boolean): void;
}

/** Maximum number of events and bytes per write; the bytes bound the memory of a client that does not read. */
const EVENTS_MAX = 256;
const BYTES_MAX = 256 * 1024;
/** Time for the client to read the last piece of a watch that has ended. */
const LAST_READ_WITHIN_MS = 30_000;

export class WatchStream<Event> implements WakingStream {
  private readonly sink: WatchSink;
  /** Whether the client has not read the last write. */
  private blocked = false;
  /** Whether the next events are being prepared. */
  private preparing = false;
  private over = false;
  private lastRead: NodeJS.Timeout | undefined;

  /** @param open called once */
  constructor(
    private readonly deps: WatchStreamDeps<Event>,
    open: () => WatchSink,
  ) {
    const { context, watcher, flusher } = deps;
    context.end.addEventListener("abort", () => this.close());
    this.sink = open();
    watcher.onReadable(() => flusher.wake(this));
    flusher.wake(this);
  }

  pump(): void {
    const { context } = this.deps;
    context.startWork();
    try {
      this.sendEvents();
    } finally {
      context.stopWork();
    }
  }

  private sendEvents(): void {
    const { watcher, flusher } = this.deps;
    const { sink } = this;
    if (this.over) return;
    while (!this.blocked && !this.preparing) {
      if (flusher.isTurnOver) {
        flusher.wake(this);
        return;
      }
      const events = watcher.take(EVENTS_MAX, BYTES_MAX);
      if (events.length === 0) break;
      const waiting = this.deps.prepare(events);
      if (waiting === undefined) this.send(events, sink);
      else this.sendLater(waiting, events, sink);
    }
    if (watcher.ended === undefined || this.preparing) return;
    if (!this.blocked) this.end();
    else if (watcher.ended === "tooSlow") this.cutOff();
    else this.lastRead ??= setTimeout(() => this.cutOff(), LAST_READ_WITHIN_MS).unref();
  }

  private send(events: readonly Event[], sink: WatchSink): void {
    const frames = new Array<Buffer>(events.length);
    for (let at = 0; at < events.length; at += 1) frames[at] = this.deps.frame(events[at] as Event);
    if (!sink.write(frames)) this.block(sink);
    this.deps.figures.sent(frames, events);
  }

  private sendLater(waiting: Promise<void>, events: readonly Event[], sink: WatchSink): void {
    this.preparing = true;
    waiting.then(
      () => {
        if (this.over) return;
        this.preparing = false;
        this.send(events, sink);
        this.deps.flusher.run(this);
      },
      (error: unknown) => this.failed(error),
    );
  }

  /** An event that cannot be framed is not skipped: the client gets an error and lists again. */
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

  /** The client does not read; only a broken connection can tell it that the watch has ended. */
  cutOff(): void {
    if (this.over) return;
    this.sink.cutOff();
    this.close();
  }

  /** Waits until the client has read the last write. */
  private block({ out }: WatchSink): void {
    this.blocked = true;
    out.once("drain", () => {
      this.blocked = false;
      this.deps.flusher.run(this);
    });
  }

  /** Ends the stream after the events that were sent. */
  end(): void {
    if (this.over) return;
    this.sink.end();
    this.close();
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.lastRead);
    this.deps.watcher.close();
    this.deps.figures.closed(this.deps.watcher.ended === "tooSlow");
  }
}
