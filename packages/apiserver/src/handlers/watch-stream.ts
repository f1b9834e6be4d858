// One open watch: takes events from its watcher as fast as the client reads them, and no faster. What is not taken stays in the
// registry's window, so that a client that does not read costs no memory here but its last piece; when it falls out of that window, or
// does not fetch that piece after its time, it is cut off.
import type { WatchEvent, Watcher } from "@orch/registry";
import { answered } from "../http/answer";
import type { ApiResponse } from "../pipeline/request-context";
import type { ObjectForm } from "./forms/object-form";
import type { WakingStream, WatchFlusher } from "./watch-flusher";
import type { WatchOutlet } from "./watch-outlet";

export interface WatchStreamDeps {
  readonly response: ApiResponse;
  readonly watcher: Watcher;
  readonly form: ObjectForm;
  readonly flusher: WatchFlusher;
  /** Called once, unless the client has left already. */
  open(): WatchOutlet;
  /** Told after each write. */
  sent(frames: readonly Buffer[]): void;
  /** Told once, when the stream is over. */
  closed(): void;
}

/** Taken at once; more is taken when these have left. The bytes are what a client that does not read may hold here. */
const EVENTS_MAX = 256;
const BYTES_MAX = 256 * 1024;
/** For the client to fetch the last piece of a watch that is over. */
const LAST_READ_WITHIN_MS = 30_000;

export class WatchStream implements WakingStream {
  private readonly outlet: WatchOutlet | undefined;
  private readonly frame: (event: WatchEvent) => Buffer;
  private blocked = false;
  private over = false;
  private lastRead: NodeJS.Timeout | undefined;

  constructor(private readonly deps: WatchStreamDeps) {
    const { response, watcher, form, flusher } = deps;
    this.frame = form.framer();
    response.on("close", () => this.close());
    if (answered(response)) {
      this.close();
      return;
    }
    this.outlet = deps.open();
    this.outlet.out.on("drain", this.drained);
    watcher.onReadable(() => flusher.wake(this));
    flusher.wake(this);
  }

  pump(): void {
    const { watcher, flusher } = this.deps;
    const { outlet } = this;
    if (this.over || outlet === undefined) return;
    while (!this.blocked) {
      if (flusher.isTurnOver) {
        flusher.wake(this);
        return;
      }
      const events = watcher.take(EVENTS_MAX, BYTES_MAX);
      if (events.length === 0) break;
      const frames = new Array<Buffer>(events.length);
      for (let at = 0; at < events.length; at += 1) frames[at] = this.frame(events[at] as WatchEvent);
      this.blocked = !outlet.write(frames);
      this.deps.sent(frames);
    }
    if (watcher.ended === undefined) return;
    if (!this.blocked) this.end();
    else if (watcher.ended === "tooSlow") this.cutOff();
    else this.lastRead ??= setTimeout(this.cutOff, LAST_READ_WITHIN_MS).unref();
  }

  /** The client does not read, and will not: only breaking off can tell it so. */
  readonly cutOff = (): void => {
    if (this.over) return;
    this.outlet?.cutOff();
    this.close();
  };

  private readonly drained = (): void => {
    if (!this.blocked) return;
    this.blocked = false;
    this.deps.flusher.run(this);
  };

  /** The end of what is sent, and no more. */
  end(): void {
    if (this.over) return;
    this.outlet?.end();
    this.close();
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.lastRead);
    this.outlet?.out.off("drain", this.drained);
    this.deps.watcher.close();
    this.deps.closed();
  }
}
