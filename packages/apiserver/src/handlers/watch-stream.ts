// One open watch: takes events from its watcher as fast as the client reads them, and no faster. What is not taken stays in the
// registry's window, so that a client that does not read costs no memory here but its last piece; when it falls out of that window, or
// does not fetch that piece after its time, it is cut off.
import { constants, type Http2ServerResponse } from "node:http2";
import type { Writable } from "node:stream";
import type { WatchEvent, Watcher } from "@orch/registry";
import { answered, headersOf } from "../http/answer";
import type { ApiResponse } from "../pipeline/request-context";
import type { ObjectForm } from "./forms/object-form";
import type { WakingStream, WatchFlusher } from "./watch-flusher";

export interface WatchStreamDeps {
  readonly response: ApiResponse;
  readonly watcher: Watcher;
  readonly form: ObjectForm;
  readonly flusher: WatchFlusher;
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
  private readonly out: Writable;
  private readonly frame: (event: WatchEvent) => Buffer;
  /** HTTP/1.1 in chunks is written past the response object, straight to its connection: half the cost of an event. */
  private readonly direct: boolean;
  private blocked = false;
  private over = false;
  private lastRead: NodeJS.Timeout | undefined;

  /** Sends the head at once, so that the client knows that the watch is in place. */
  constructor(private readonly deps: WatchStreamDeps) {
    const { response, watcher, form, flusher } = deps;
    this.frame = form.framer();
    response.on("close", () => this.close());
    if (answered(response)) {
      this.direct = false;
      this.out = response;
      this.close();
      return;
    }
    response.writeHead(200, headersOf(response, form.streamType));
    response.flushHeaders();
    const { socket } = response;
    this.direct = response.req.httpVersionMajor === 1 && response.chunkedEncoding && socket !== null;
    this.out = this.direct && socket !== null ? socket : response;
    this.out.on("drain", this.drained);
    watcher.onReadable(() => flusher.wake(this));
    flusher.wake(this);
  }

  pump(): void {
    const { watcher, flusher, response } = this.deps;
    if (this.over) return;
    while (!this.blocked) {
      const events = watcher.take(EVENTS_MAX, BYTES_MAX);
      if (events.length === 0) break;
      const frames = new Array<Buffer>(events.length);
      for (let at = 0; at < events.length; at += 1) frames[at] = this.frame(events[at] as WatchEvent);
      const bytes = this.direct ? flusher.chunk(frames) : flusher.join(frames);
      response.req.context.responseBytes += bytes.length;
      this.blocked = !this.out.write(bytes);
      this.deps.sent(frames);
    }
    if (watcher.ended === undefined) return;
    if (!this.blocked) this.end();
    else if (watcher.ended === "tooSlow") this.cutOff();
    else this.lastRead ??= setTimeout(this.cutOff, LAST_READ_WITHIN_MS).unref();
  }

  /** The client does not read, and will not: only breaking off can tell it so. */
  readonly cutOff = (): void => {
    const { response } = this.deps;
    if (this.over) return;
    if (response.req.httpVersionMajor === 1) response.destroy();
    // Of the connection's streams this one alone ends.
    else (response as unknown as Http2ServerResponse).stream.close(constants.NGHTTP2_CANCEL);
    this.close();
  };

  private readonly drained = (): void => {
    if (!this.blocked) return;
    this.blocked = false;
    this.deps.flusher.run(this);
  };

  /** The last chunk, and no more. */
  end(): void {
    if (this.over) return;
    this.deps.response.end();
    this.close();
  }

  private close(): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.lastRead);
    this.out?.off("drain", this.drained);
    this.deps.watcher.close();
    this.deps.closed();
  }
}
