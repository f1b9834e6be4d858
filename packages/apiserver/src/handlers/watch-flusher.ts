// Wakes the watch streams that have events to send, once per turn of the event loop, or in several turns when there are
// very many. Events that arrive together are sent together, also those that arrive soon after one another when many
// streams get them; bytes that many streams share are encoded once.
import { type Clock, systemClock } from "@orch/platform";
import { EventLoopYielder } from "@orch/registry";

export interface WakingStream {
  /** Sends the waiting events. */
  pump(): void;
  /** Breaks off the stream. */
  cutOff(): void;
}

/**
 * Sending to this many streams takes about a millisecond, whatever is sent; waiting as long for further events costs
 * nothing more.
 */
const STREAMS_PER_MS = 50;
const PAUSE_MAX_MS = 10;
/** While events keep coming, the pause between two flushes is this multiple of the duration of a flush. */
const PAUSES_PER_FLUSH = 5;
const PACE_MAX_MS = 20;

export class WatchFlusher {
  private woken: WakingStream[] = [];
  private scheduled = false;
  private frames: readonly Buffer[] = [];
  private joined: Buffer | undefined;
  private chunked: Buffer | undefined;
  /** Time of the clock's `elapsed` at which the last flush ended. */
  private flushedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param failed called for a stream that could not be sent, for example because a stored object is damaged
   * @param turns turns of its own, so that events do not wait behind lists
   */
  constructor(
    private readonly failed: (error: unknown) => void,
    private readonly yielder = new EventLoopYielder(),
    private readonly clock: Clock = systemClock,
  ) {}

  wake(stream: WakingStream): void {
    this.woken.push(stream);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.gather);
  }

  /**
   * A write costs far more than its bytes. With many streams, events of the next moments are gathered into the same
   * write.
   */
  private readonly gather = (): void => {
    const takesMs = this.woken.length / STREAMS_PER_MS;
    const leftMs = this.flushedAt + Math.min(takesMs * PAUSES_PER_FLUSH, PACE_MAX_MS) - this.clock.elapsed();
    const pauseMs = Math.floor(Math.max(Math.min(takesMs, PAUSE_MAX_MS), leftMs));
    if (pauseMs === 0) void this.flush();
    else this.clock.after(pauseMs, this.flush);
  };

  private readonly flush = async (): Promise<void> => {
    const { woken } = this;
    this.woken = [];
    for (const stream of woken) {
      if (this.yielder.isOver) await this.yielder.next();
      this.run(stream);
    }
    this.flushedAt = this.clock.elapsed();
    this.scheduled = this.woken.length > 0;
    if (this.scheduled) setImmediate(this.gather);
  };

  /** Whether a stream with more events must be woken again. */
  get isTurnOver(): boolean {
    return this.yielder.isOver;
  }

  /** A failing stream is cut off without affecting the others. */
  run(stream: WakingStream): void {
    try {
      stream.pump();
    } catch (error) {
      this.failed(error);
      stream.cutOff();
    }
  }

  /** Concatenates frames. */
  join(frames: readonly Buffer[]): Buffer {
    if (frames.length === 1) return frames[0] as Buffer;
    this.remember(frames);
    this.joined ??= Buffer.concat(frames);
    return this.joined;
  }

  /** Concatenates frames as one chunk of HTTP/1.1 chunked transfer coding. */
  chunk(frames: readonly Buffer[]): Buffer {
    this.remember(frames);
    this.chunked ??= chunkOf(frames);
    return this.chunked;
  }

  /** Streams of one kind are woken in succession, and most send the same frames as the previous one. */
  private remember(frames: readonly Buffer[]): void {
    if (same(frames, this.frames)) return;
    this.frames = frames;
    this.joined = undefined;
    this.chunked = undefined;
  }
}

function same(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return true;
}

const CRLF = Buffer.from("\r\n");

function chunkOf(frames: readonly Buffer[]): Buffer {
  let bytes = 0;
  for (const frame of frames) bytes += frame.length;
  return Buffer.concat([Buffer.from(`${bytes.toString(16)}\r\n`, "latin1"), ...frames, CRLF]);
}
