// Wakes the watch streams that have something to send, all of them once a turn of the event loop, or in several turns where they are
// very many: events that arrive together, or nearly so where many are to have them, go out together, and the bytes that many streams send
// alike are made once.
import { type Clock, systemClock } from "@orch/platform";
import { LoopTurns } from "@orch/registry";

export interface WakingStream {
  /** Sends what there is. */
  pump(): void;
  /** Ends it where it stands. */
  cutOff(): void;
}

/** It takes about a millisecond to send to so many, whatever is sent: what comes in a wait as long costs nothing more. */
const STREAMS_PER_MS = 50;
const PAUSE_MAX_MS = 10;
/** While events keep coming, what passes until they are sent to again is so many times what that takes. */
const PAUSES_PER_FLUSH = 5;
const PACE_MAX_MS = 20;

export class WatchFlusher {
  private woken: WakingStream[] = [];
  private scheduled = false;
  private frames: readonly Buffer[] = [];
  private joined: Buffer | undefined;
  private chunked: Buffer | undefined;
  /** By the clock's `elapsed`: when all that were woken had been sent to. */
  private flushedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param failed told of a stream that could not be sent, say because an object in the store is damaged
   * @param turns own ones: events do not wait behind lists
   */
  constructor(
    private readonly failed: (error: unknown) => void,
    private readonly turns = new LoopTurns(),
    private readonly clock: Clock = systemClock,
  ) {}

  wake(stream: WakingStream): void {
    this.woken.push(stream);
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.gather);
  }

  /** A write costs far more than its bytes. Where there are many to write to, what comes in the next moments goes with it. */
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
      if (this.turns.isOver) await this.turns.next();
      this.run(stream);
    }
    this.flushedAt = this.clock.elapsed();
    this.scheduled = this.woken.length > 0;
    if (this.scheduled) setImmediate(this.gather);
  };

  /** Whether a stream that has more to send is to be woken again for it. */
  get isTurnOver(): boolean {
    return this.turns.isOver;
  }

  /** A stream that fails is cut off, and takes no other with it. */
  run(stream: WakingStream): void {
    try {
      stream.pump();
    } catch (error) {
      this.failed(error);
      stream.cutOff();
    }
  }

  /** Frames one after the other. */
  join(frames: readonly Buffer[]): Buffer {
    if (frames.length === 1) return frames[0] as Buffer;
    this.remember(frames);
    this.joined ??= Buffer.concat(frames);
    return this.joined;
  }

  /** Frames one after the other, as one chunk of HTTP/1.1's chunked coding. */
  chunk(frames: readonly Buffer[]): Buffer {
    this.remember(frames);
    this.chunked ??= chunkOf(frames);
    return this.chunked;
  }

  /** Streams of one kind are woken after each other, and most send the same frames as the one before. */
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
