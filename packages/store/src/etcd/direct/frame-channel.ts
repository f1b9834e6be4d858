// The client side of one HTTP/2 connection: its frames, flow-control windows and streams. Source: RFC 9113, sections
// 3.4, 5.1.2, 5.2 and 6.
import type { Socket } from "node:net";
import { type AnswerFields, lost } from "../answer-outcome";
import { GrpcError, WINDOW_BYTES } from "../transport";
import {
  FIRST_WINDOW_BYTES,
  FLAG,
  FRAME,
  type Frame,
  FrameSplitter,
  frame,
  number32,
  PAYLOAD_MAX_BYTES,
  ProtocolError,
  REASON,
  SETTING,
  STREAM_MAX,
  settings,
  unpadded,
} from "./frames";
import { readAnswer } from "./header-blocks";
import { OutgoingBytes } from "./outgoing-bytes";
import { Stream, type StreamOwner } from "./stream";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const BLOCK_MAX_BYTES = 64 * 1024;
const PRIORITY_BYTES = 5;
const PING_BYTES = 8;

export interface ChannelEvents {
  /** Called when a part of an answer has arrived. */
  heard(): void;
  closed(): void;
}

interface KnownBlock {
  readonly bytes: Buffer;
  readonly fields: AnswerFields;
}

export class FrameChannel {
  /** Resolves with the peer's first settings. @throws Error when the connection is lost before */
  readonly settingsReceived: Promise<void>;
  /** Whether new streams are accepted. */
  isOpen = true;
  private readonly out: OutgoingBytes;
  private readonly splitter = new FrameSplitter();
  private readonly streams = new Map<number, Stream>();
  private readonly waiting: Stream[] = [];
  private isRetired = false;
  private receiveSettings: (error?: Error) => void = () => {};
  private nextId = 1;
  private sendWindow = FIRST_WINDOW_BYTES;
  private firstWindow = FIRST_WINDOW_BYTES;
  private streamsMax = Number.POSITIVE_INFINITY;
  private taken = 0;
  private pingAnswered: (() => void) | undefined;
  /** A header block that arrives in several frames. */
  private block: { readonly stream: number; readonly endsStream: boolean; bytes: Buffer } | undefined;
  /** The header and trailer blocks read last, with their fields: nearly all blocks are equal. */
  private readonly known: (KnownBlock | undefined)[] = [];

  constructor(
    private readonly socket: Socket,
    private readonly events: ChannelEvents,
  ) {
    this.out = new OutgoingBytes(socket);
    this.settingsReceived = new Promise((resolve, reject) => {
      this.receiveSettings = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.settingsReceived.catch(() => {});
    socket.on("data", (chunk: Buffer) => this.read(chunk));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy(new Error("the other side closed the connection")));
    const own = settings([
      [SETTING.headerTableSize, 0],
      [SETTING.enablePush, 0],
      [SETTING.initialWindow, WINDOW_BYTES],
    ]);
    for (const bytes of [PREFACE, own, windowUpdate(0, WINDOW_BYTES - FIRST_WINDOW_BYTES)]) this.out.push(bytes);
  }

  /**
   * Begins a stream. @param head the header block of a request. @returns undefined when the connection accepts no more
   */
  begin(head: Buffer, owner: StreamOwner): Stream | undefined {
    if (!this.isOpen) return undefined;
    const stream = new Stream(head, owner);
    if (this.streams.size < this.streamsMax) this.admit(stream);
    else this.waiting.push(stream);
    return stream;
  }

  /** Sends a ping. One at a time. */
  ping(answered: () => void): void {
    this.pingAnswered = answered;
    this.out.push(frame(FRAME.ping, 0, 0, Buffer.alloc(PING_BYTES)));
  }

  /** Accepts no further streams, and closes the connection when the present ones have ended. */
  retire(): void {
    this.isOpen = false;
    this.isRetired = true;
    this.endIfIdle();
  }

  private admit(stream: Stream): void {
    stream.id = this.nextId;
    stream.sendWindow = this.firstWindow;
    this.nextId += 2;
    // The pool opens another connection in time.
    if (this.nextId > STREAM_MAX) this.isOpen = false;
    this.streams.set(stream.id, stream);
    this.out.frame({ type: FRAME.headers, flags: FLAG.endHeaders, stream: stream.id }, stream.head);
  }

  /** Starts queued streams when others have ended. */
  private admitWaiting(): void {
    while (this.waiting.length > 0 && this.streams.size < this.streamsMax) {
      const stream = this.waiting.shift() as Stream;
      if (stream.isOver) continue;
      this.admit(stream);
      this.resume(stream);
    }
  }

  send(stream: Stream, bytes: Buffer, isLast: boolean): void {
    stream.unsent = stream.unsent === undefined ? bytes : Buffer.concat([stream.unsent, bytes]);
    stream.endsAfterUnsent = isLast;
    if (stream.id !== 0) this.resume(stream);
  }

  /** Sends as much as the windows allow. The rest is sent when they are updated. */
  private resume(stream: Stream): void {
    while (stream.unsent !== undefined) {
      const { unsent } = stream;
      const room = Math.min(stream.sendWindow, this.sendWindow, PAYLOAD_MAX_BYTES);
      if (room <= 0) return;
      const isAll = unsent.length <= room;
      const payload = isAll ? unsent : unsent.subarray(0, room);
      const flags = isAll && stream.endsAfterUnsent ? FLAG.endStream : 0;
      this.out.frame({ type: FRAME.data, flags, stream: stream.id }, payload);
      stream.sendWindow -= payload.length;
      this.sendWindow -= payload.length;
      stream.unsent = isAll ? undefined : unsent.subarray(room);
    }
  }

  cancel(stream: Stream, problem: GrpcError): void {
    if (stream.isOver) return;
    this.forget(stream, REASON.cancel);
    stream.end(problem);
  }

  /** Removes a stream. @param reason sent to the peer; absent: the peer knows */
  forget(stream: Stream, reason?: number): void {
    if (!this.streams.delete(stream.id)) return;
    if (reason !== undefined) this.out.push(frame(FRAME.reset, 0, stream.id, number32(reason)));
    this.admitWaiting();
    this.endIfIdle();
  }

  private endIfIdle(): void {
    if (this.isRetired && this.streams.size === 0 && this.waiting.length === 0) this.socket.end();
  }

  private read(chunk: Buffer): void {
    try {
      this.splitter.push(chunk, (each) => this.take(each));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.out.push(frame(FRAME.goAway, 0, 0, Buffer.concat([number32(0), number32(error.reason)])));
      this.destroy(error);
    }
  }

  private take(each: Frame): void {
    const { type, payload } = each;
    if (this.block !== undefined && type !== FRAME.continuation)
      throw new ProtocolError("another frame interrupts a header block");
    switch (type) {
      case FRAME.data:
        this.data(each);
        return;
      case FRAME.headers:
        this.headers(each.stream, each.flags, unpadded(each, each.flags & FLAG.priority ? PRIORITY_BYTES : 0));
        return;
      case FRAME.continuation:
        this.continuation(each);
        return;
      case FRAME.reset:
        this.reset(each.stream, requireBytes(payload, 4).readUInt32BE(0));
        return;
      case FRAME.settings:
        this.settings(each);
        return;
      case FRAME.ping:
        if ((each.flags & FLAG.ack) === 0)
          this.out.push(frame(FRAME.ping, FLAG.ack, 0, requireBytes(payload, PING_BYTES)));
        else this.pingAnswered?.();
        return;
      case FRAME.goAway:
        this.goAway(requireBytes(payload, 8).readUInt32BE(0) & STREAM_MAX);
        return;
      case FRAME.windowUpdate:
        this.windowUpdate(each.stream, requireBytes(payload, 4).readUInt32BE(0) & STREAM_MAX);
        return;
      default:
      // Unknown frame types are ignored (RFC 9113, section 4.1).
    }
  }

  private reset(id: number, reason: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    this.forget(stream);
    stream.reset(reason);
  }

  private data(each: Frame): void {
    this.events.heard();
    this.taken = this.gaveBack(0, this.taken + each.payload.length);
    const stream = this.streams.get(each.stream);
    if (stream === undefined) return;
    try {
      stream.data(unpadded(each));
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      this.cancel(stream, error);
      return;
    }
    if ((each.flags & FLAG.endStream) !== 0) this.finish(stream);
    else if (!stream.isPaced) stream.taken = this.gaveBack(stream.id, stream.taken + each.payload.length);
  }

  /** Credits bytes of a paced stream. */
  processed(stream: Stream, bytes: number): void {
    if (!stream.isOver && this.streams.has(stream.id)) stream.taken = this.gaveBack(stream.id, stream.taken + bytes);
  }

  /** Updates the peer's window when half of it is used. @returns the bytes not yet credited */
  private gaveBack(stream: number, taken: number): number {
    if (taken < WINDOW_BYTES / 2) return taken;
    this.out.push(windowUpdate(stream, taken));
    return 0;
  }

  private headers(id: number, flags: number, bytes: Buffer): void {
    const endsStream = (flags & FLAG.endStream) !== 0;
    if ((flags & FLAG.endHeaders) === 0) this.block = { stream: id, endsStream, bytes: Buffer.from(bytes) };
    else this.told(id, endsStream, bytes);
  }

  private continuation({ stream, flags, payload }: Frame): void {
    const { block } = this;
    if (block?.stream !== stream) throw new ProtocolError("a CONTINUATION frame without a header block");
    block.bytes = Buffer.concat([block.bytes, payload]);
    if (block.bytes.length > BLOCK_MAX_BYTES) throw new ProtocolError("a header block that exceeds the maximum size");
    if ((flags & FLAG.endHeaders) === 0) return;
    this.block = undefined;
    this.told(stream, block.endsStream, block.bytes);
  }

  private told(id: number, endsStream: boolean, bytes: Buffer): void {
    const fields = this.fieldsIn(bytes, endsStream ? 1 : 0);
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.told(fields);
    if (endsStream) this.finish(stream);
  }

  private fieldsIn(bytes: Buffer, place: 0 | 1): AnswerFields {
    const known = this.known[place];
    if (known?.bytes.equals(bytes)) return known.fields;
    const fields = readAnswer(bytes);
    this.known[place] = { bytes: Buffer.from(bytes), fields };
    return fields;
  }

  /** Ends a stream. If the answer ended before the whole request was sent, the rest is cancelled. */
  private finish(stream: Stream): void {
    this.forget(stream, stream.unsent === undefined ? undefined : REASON.cancel);
    stream.finish();
  }

  private settings({ flags, payload }: Frame): void {
    if ((flags & FLAG.ack) !== 0) return;
    for (let at = 0; at + 6 <= payload.length; at += 6)
      this.setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.out.push(frame(FRAME.settings, FLAG.ack, 0));
    this.receiveSettings();
  }

  private setting(id: number, value: number): void {
    if (id === SETTING.maxStreams) {
      this.streamsMax = value;
      this.admitWaiting();
    }
    if (id !== SETTING.initialWindow) return;
    if (value > STREAM_MAX)
      throw new ProtocolError("a flow-control window that exceeds the maximum size", REASON.flowControl);
    const change = value - this.firstWindow;
    this.firstWindow = value;
    for (const stream of this.streams.values()) {
      stream.sendWindow += change;
      this.resume(stream);
    }
  }

  private windowUpdate(id: number, bytes: number): void {
    if (id === 0) {
      this.sendWindow += bytes;
      if (this.sendWindow > STREAM_MAX)
        throw new ProtocolError("a flow-control window that exceeds the maximum size", REASON.flowControl);
      for (const stream of this.streams.values()) if (stream.unsent !== undefined) this.resume(stream);
      return;
    }
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    stream.sendWindow += bytes;
    this.resume(stream);
  }

  /** Streams after the last one that the peer has processed were not seen by it. */
  private goAway(last: number): void {
    this.isOpen = false;
    this.isRetired = true;
    for (const stream of this.waiting.splice(0)) stream.end(lost(false));
    for (const stream of [...this.streams.values()]) {
      if (stream.id <= last) continue;
      this.forget(stream);
      stream.end(lost(false));
    }
    this.endIfIdle();
  }

  /** Closes the connection at once. @param error rejects `settingsReceived` */
  destroy(error: Error): void {
    this.isOpen = false;
    this.events.closed();
    this.out.flush();
    this.socket.destroy();
    this.receiveSettings(error);
    const streams = [...this.streams.values()];
    this.streams.clear();
    for (const stream of this.waiting.splice(0)) stream.end(lost(false));
    for (const stream of streams) stream.end(lost(true));
  }
}

const windowUpdate = (stream: number, bytes: number): Buffer => frame(FRAME.windowUpdate, 0, stream, number32(bytes));

function requireBytes(payload: Buffer, count: number): Buffer {
  if (payload.length < count) throw new ProtocolError("a truncated frame");
  return payload;
}
