// What goes out over one connection: the frames of one turn of the event loop leave together, and data waits until the peer has room.

import {
  FLAG,
  FRAME,
  FRAME_HEAD_BYTES,
  PAYLOAD_MAX_BYTES,
  ProtocolError,
  WINDOW_FIRST_BYTES,
  WINDOW_MAX_BYTES,
  writeFrameHead,
} from "./frame";

/** The sending side of a stream. */
export class OutgoingStream {
  /** How much the peer still takes of this stream. */
  windowBytes: number;
  /** What it does not take yet. */
  held: Buffer | undefined;
  /** Nothing follows what is held, or has been sent. */
  ended = false;

  constructor(
    readonly id: number,
    windowBytes: number,
  ) {
    this.windowBytes = windowBytes;
  }

  /** Everything has been sent. */
  get done(): boolean {
    return this.ended && this.held === undefined;
  }
}

export class Outgoing {
  readonly #write: (bytes: Buffer) => void;
  #frames: Buffer[] = [];
  #windowBytes = WINDOW_FIRST_BYTES;
  #streamWindowBytes = WINDOW_FIRST_BYTES;
  #payloadMaxBytes = PAYLOAD_MAX_BYTES;
  /** Those that the peer has no room for, in the order in which they came. */
  readonly #held = new Set<OutgoingStream>();

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  frame(bytes: Buffer): void {
    // Whatever the other requests of this turn send goes with it: a call of the kernel costs more than all else here.
    if (this.#frames.length === 0) setImmediate(() => this.#flush());
    this.#frames.push(bytes);
  }

  /** @param headers a whole HEADERS frame of it */
  open(id: number, headers: Buffer): OutgoingStream {
    this.frame(headers);
    return new OutgoingStream(id, this.#streamWindowBytes);
  }

  data(stream: OutgoingStream, bytes: Buffer, end: boolean): void {
    stream.held = stream.held === undefined ? bytes : Buffer.concat([stream.held, bytes]);
    stream.ended = end;
    this.#send(stream);
  }

  /** Sends no more of it. */
  drop(stream: OutgoingStream): void {
    this.#held.delete(stream);
  }

  /** The peer has room for more: of one stream, or of all together. @throws ProtocolError */
  widen(stream: OutgoingStream | undefined, bytes: number): void {
    if (stream === undefined) {
      this.#windowBytes = widened(this.#windowBytes, bytes);
      this.#sendHeld();
      return;
    }
    stream.windowBytes = widened(stream.windowBytes, bytes);
    if (this.#held.has(stream)) this.#send(stream);
  }

  /** How much the peer takes of each stream at first; those that are open get the difference. @throws ProtocolError */
  setStreamWindow(bytes: number, open: Iterable<OutgoingStream>): void {
    const more = bytes - this.#streamWindowBytes;
    this.#streamWindowBytes = widened(0, bytes);
    for (const stream of open) stream.windowBytes = widened(stream.windowBytes, more);
    this.#sendHeld();
  }

  /** @throws ProtocolError */
  setPayloadMax(bytes: number): void {
    if (bytes < PAYLOAD_MAX_BYTES || bytes >= 2 ** 24) throw new ProtocolError(`frames of at most ${bytes} bytes`);
    this.#payloadMaxBytes = bytes;
  }

  #sendHeld(): void {
    for (const stream of [...this.#held]) {
      if (this.#windowBytes <= 0) return;
      this.#send(stream);
    }
  }

  #send(stream: OutgoingStream): void {
    for (let rest = stream.held; rest !== undefined; rest = stream.held) {
      const length = Math.min(rest.length, this.#payloadMaxBytes, stream.windowBytes, this.#windowBytes);
      if (length <= 0) {
        this.#held.add(stream);
        return;
      }
      const isLast = length === rest.length;
      stream.held = isLast ? undefined : rest.subarray(length);
      stream.windowBytes -= length;
      this.#windowBytes -= length;
      const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
      const flags = isLast && stream.ended ? FLAG.endStream : 0;
      writeFrameHead(head, 0, length, { type: FRAME.data, flags, stream: stream.id });
      this.frame(head);
      this.frame(isLast ? rest : rest.subarray(0, length));
    }
    this.#held.delete(stream);
  }

  #flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    this.#write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  }
}

function widened(windowBytes: number, bytes: number): number {
  const result = windowBytes + bytes;
  if (result > WINDOW_MAX_BYTES) throw new ProtocolError(`a window of ${result} bytes`);
  return result;
}
