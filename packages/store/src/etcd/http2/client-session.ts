// The client's side of one HTTP/2 connection, as much of it as gRPC needs: no pushes, no priorities, no trailers of its own. It costs a
// quarter of node:http2, whose streams are general ones, with an event emitter, two state machines and a dozen objects each.

import type { Socket } from "node:net";
import {
  ERROR_CODE,
  FLAG,
  FRAME,
  frame,
  numberFrame,
  PREFACE,
  ProtocolError,
  readNumber,
  SETTING,
  STREAM_ID_MAX,
  settingsFrame,
  WINDOW_FIRST_BYTES,
  withoutPadding,
} from "./frame";
import { FrameSplitter } from "./frame-splitter";
import { HeaderDecoder } from "./header-block";
import type { HeaderField } from "./header-table";
import { Outgoing, type OutgoingStream } from "./outgoing";

/**
 * How a stream ended: complete: the peer has said all. refused: the peer has certainly not worked on it. broken: it or its
 * connection was cut.
 */
export type StreamEnd = "complete" | "refused" | "broken";

export interface StreamEvents {
  headers(fields: readonly HeaderField[]): void;
  /** @param bytes to be used at once: they change afterwards */
  data(bytes: Buffer): void;
  /** Once, last; not after `cancel`. */
  ended(how: StreamEnd): void;
}

export interface SessionEvents {
  /** The peer speaks HTTP/2. */
  greeted(): void;
  /** Once, last. @param error why, where it was not meant to end */
  closed(error: Error | undefined): void;
}

export class ClientStream {
  outgoing: OutgoingStream | undefined;
  /** Received since the peer was last told that there is room. */
  receivedBytes = 0;

  constructor(
    /** Kept until the peer takes another stream. */
    readonly headers: Buffer,
    readonly events: StreamEvents,
    public unsent: { readonly bytes: Buffer; readonly end: boolean } | undefined,
  ) {}
}

/** Header blocks that go on and on are not kept. */
const BLOCK_MAX_BYTES = 64 * 1024;

export class ClientSession {
  readonly #socket: Socket;
  readonly #events: SessionEvents;
  readonly #windowBytes: number;
  readonly #outgoing: Outgoing;
  readonly #splitter = new FrameSplitter((type, flags, stream, payload) => this.#take(type, flags, stream, payload));
  readonly #decoder = new HeaderDecoder();
  readonly #streams = new Map<number, ClientStream>();
  /** They wait for others to end: the peer takes only so many at once. */
  readonly #waiting = new Set<ClientStream>();
  readonly #pongs: (() => void)[] = [];
  /** A header block of which more is to come. */
  #block: { readonly stream: number; readonly ends: boolean; bytes: Buffer } | undefined;
  #streamsMax = Number.POSITIVE_INFINITY;
  #nextId = 1;
  #receivedBytes = 0;
  #greeted = false;
  #accepting = true;
  #over = false;
  #error: Error | undefined;

  /**
   * @param socket connected or about to be; the session's from now on, which is given what comes by `receive`
   * @param windowBytes how much may be under way to us, of each stream and of all together
   */
  constructor(socket: Socket, windowBytes: number, events: SessionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#windowBytes = windowBytes;
    this.#outgoing = new Outgoing((bytes) => {
      if (!this.#over) socket.write(bytes);
    });
    socket.on("error", (error) => {
      this.#error ??= error;
    });
    socket.on("close", () => this.#close());
    this.#outgoing.frame(PREFACE);
    this.#outgoing.frame(
      settingsFrame([
        [SETTING.enablePush, 0],
        [SETTING.initialWindowSize, windowBytes],
      ]),
    );
    this.#outgoing.frame(numberFrame(FRAME.windowUpdate, 0, windowBytes - WINDOW_FIRST_BYTES));
  }

  /** Takes new streams. Once false, false for ever. */
  get open(): boolean {
    return this.#accepting && !this.#over;
  }

  /** @param chunk to be used at once */
  receive(chunk: Buffer): void {
    if (this.#over) return;
    try {
      this.#splitter.push(chunk);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /**
   * @param headers a header block
   * @param first the first data, and whether nothing follows it
   */
  request(
    headers: Buffer,
    events: StreamEvents,
    first?: { readonly bytes: Buffer; readonly end: boolean },
  ): ClientStream {
    const stream = new ClientStream(headers, events, first);
    if (this.#streams.size < this.#streamsMax) this.#begin(stream);
    else this.#waiting.add(stream);
    return stream;
  }

  write(stream: ClientStream, bytes: Buffer): void {
    const { outgoing, unsent } = stream;
    if (outgoing !== undefined) this.#outgoing.data(outgoing, bytes, false);
    else stream.unsent = { bytes: unsent === undefined ? bytes : Buffer.concat([unsent.bytes, bytes]), end: false };
  }

  /** Ends a stream that nobody waits for any more. */
  cancel(stream: ClientStream): void {
    this.#waiting.delete(stream);
    const { outgoing } = stream;
    if (outgoing === undefined || this.#streams.get(outgoing.id) !== stream) return;
    this.#outgoing.frame(numberFrame(FRAME.rstStream, outgoing.id, ERROR_CODE.cancel));
    this.#forget(outgoing);
  }

  ping(answered: () => void): void {
    if (this.#over) return;
    this.#pongs.push(answered);
    this.#outgoing.frame(frame({ type: FRAME.ping, flags: 0, stream: 0 }, Buffer.alloc(8)));
  }

  /** Takes no new streams, and ends when the open ones have. */
  retire(): void {
    this.#accepting = false;
    this.#endWhenIdle();
  }

  destroy(error?: Error): void {
    this.#accepting = false;
    this.#error ??= error;
    this.#socket.destroy();
  }

  #begin(stream: ClientStream): void {
    const id = this.#nextId;
    this.#nextId += 2;
    if (this.#nextId > STREAM_ID_MAX) this.#accepting = false;
    const { headers, unsent } = stream;
    const outgoing = this.#outgoing.open(
      id,
      frame({ type: FRAME.headers, flags: FLAG.endHeaders, stream: id }, headers),
    );
    stream.outgoing = outgoing;
    stream.unsent = undefined;
    this.#streams.set(id, stream);
    if (unsent !== undefined) this.#outgoing.data(outgoing, unsent.bytes, unsent.end);
  }

  #forget(outgoing: OutgoingStream): void {
    this.#streams.delete(outgoing.id);
    this.#outgoing.drop(outgoing);
    for (const waiting of this.#waiting) {
      if (this.#streams.size >= this.#streamsMax) break;
      this.#waiting.delete(waiting);
      this.#begin(waiting);
    }
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (!this.#accepting && this.#streams.size === 0 && this.#waiting.size === 0) this.#socket.end();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    const [streams, waiting] = [[...this.#streams.values()], [...this.#waiting]];
    this.#streams.clear();
    this.#waiting.clear();
    for (const stream of streams) stream.events.ended("broken");
    for (const stream of waiting) stream.events.ended("refused");
    this.#events.closed(this.#error);
  }

  #take(type: number, flags: number, stream: number, payload: Buffer): void {
    if (this.#over) return;
    if (!this.#greeted && type !== FRAME.settings) throw new ProtocolError("the peer does not begin with its settings");
    if ((this.#block !== undefined) !== (type === FRAME.continuation))
      throw new ProtocolError("a header block is cut into by another frame");
    switch (type) {
      case FRAME.data:
        this.#takeData(stream, flags, payload);
        break;
      case FRAME.headers:
        this.#takeHeaders(stream, flags, payload);
        break;
      case FRAME.continuation:
        this.#takeContinuation(flags, payload);
        break;
      case FRAME.rstStream:
        this.#takeReset(stream, readNumber(payload));
        break;
      case FRAME.settings:
        this.#takeSettings(flags, payload);
        break;
      case FRAME.pushPromise:
        throw new ProtocolError("the peer pushes, which nobody has asked for");
      case FRAME.ping:
        this.#takePing(flags, payload);
        break;
      case FRAME.goaway:
        this.#takeGoaway(payload);
        break;
      case FRAME.windowUpdate:
        this.#takeWindowUpdate(stream, readNumber(payload));
        break;
      default: // priorities, and what is not known, have no meaning here
    }
  }

  #takeData(id: number, flags: number, payload: Buffer): void {
    this.#receivedBytes = this.#room(0, this.#receivedBytes + payload.length);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const ends = (flags & FLAG.endStream) !== 0;
    if (!ends) stream.receivedBytes = this.#room(id, stream.receivedBytes + payload.length);
    const bytes = withoutPadding(payload, flags);
    if (bytes.length > 0) stream.events.data(bytes);
    if (ends) this.#ended(id, "complete");
  }

  /** Tells the peer that there is room again once half of it is used up. @returns what is used up afterwards */
  #room(id: number, usedBytes: number): number {
    if (usedBytes < this.#windowBytes / 2) return usedBytes;
    this.#outgoing.frame(numberFrame(FRAME.windowUpdate, id, usedBytes));
    return 0;
  }

  #takeHeaders(stream: number, flags: number, payload: Buffer): void {
    const unpadded = withoutPadding(payload, flags);
    const bytes = (flags & FLAG.priority) === 0 ? unpadded : unpadded.subarray(5);
    const ends = (flags & FLAG.endStream) !== 0;
    if ((flags & FLAG.endHeaders) !== 0) this.#takeBlock(stream, ends, bytes);
    else this.#block = { stream, ends, bytes: Buffer.from(bytes) };
  }

  #takeContinuation(flags: number, payload: Buffer): void {
    const block = this.#block;
    if (block === undefined) return;
    block.bytes = Buffer.concat([block.bytes, payload]);
    if (block.bytes.length > BLOCK_MAX_BYTES) throw new ProtocolError("a header block does not end");
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    this.#takeBlock(block.stream, block.ends, block.bytes);
  }

  #takeBlock(id: number, ends: boolean, bytes: Buffer): void {
    // Also of a stream that is gone: later blocks may build on it.
    const fields = this.#decoder.decode(bytes);
    this.#streams.get(id)?.events.headers(fields);
    if (ends) this.#ended(id, "complete");
  }

  #takeReset(id: number, code: number): void {
    this.#ended(id, code === ERROR_CODE.refusedStream ? "refused" : "broken");
  }

  #ended(id: number, how: StreamEnd): void {
    const stream = this.#streams.get(id);
    const outgoing = stream?.outgoing;
    if (stream === undefined || outgoing === undefined) return;
    // The peer needs none of the rest.
    if (how === "complete" && !outgoing.done) this.#outgoing.frame(numberFrame(FRAME.rstStream, id, ERROR_CODE.cancel));
    this.#forget(outgoing);
    stream.events.ended(how);
  }

  #takeSettings(flags: number, payload: Buffer): void {
    if ((flags & FLAG.ack) !== 0) return;
    if (payload.length % 6 !== 0) throw new ProtocolError(`settings of ${payload.length} bytes`);
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      switch (payload.readUInt16BE(at)) {
        case SETTING.maxConcurrentStreams:
          this.#streamsMax = value;
          break;
        case SETTING.initialWindowSize:
          this.#outgoing.setStreamWindow(value, this.#openOutgoing());
          break;
        case SETTING.maxFrameSize:
          this.#outgoing.setPayloadMax(value);
          break;
        default: // others concern what is not used here
      }
    }
    this.#outgoing.frame(frame({ type: FRAME.settings, flags: FLAG.ack, stream: 0 }, NOTHING));
    if (this.#greeted) return;
    this.#greeted = true;
    this.#events.greeted();
  }

  *#openOutgoing(): Generator<OutgoingStream> {
    for (const { outgoing } of this.#streams.values()) if (outgoing !== undefined) yield outgoing;
  }

  #takePing(flags: number, payload: Buffer): void {
    if ((flags & FLAG.ack) !== 0) this.#pongs.shift()?.();
    else this.#outgoing.frame(frame({ type: FRAME.ping, flags: FLAG.ack, stream: 0 }, payload));
  }

  /** The peer works on no stream beyond the one that it names. */
  #takeGoaway(payload: Buffer): void {
    if (payload.length < 8) throw new ProtocolError(`a farewell of ${payload.length} bytes`);
    const last = payload.readUInt32BE(0) & 0x7fff_ffff;
    this.#accepting = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const id of [...this.#streams.keys()]) if (id > last) this.#ended(id, "refused");
    for (const stream of waiting) stream.events.ended("refused");
    this.#endWhenIdle();
  }

  #takeWindowUpdate(id: number, value: number): void {
    const bytes = value & 0x7fff_ffff;
    if (id === 0) {
      this.#outgoing.widen(undefined, bytes);
      return;
    }
    const outgoing = this.#streams.get(id)?.outgoing;
    if (outgoing !== undefined) this.#outgoing.widen(outgoing, bytes);
  }
}

const NOTHING = Buffer.alloc(0);
