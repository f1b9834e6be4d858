// The client side of SPDY/3.1, as far as the streams of kubelets need it: bidirectional streams that the client opens.
// Flow control is omitted, as in the servers. Source: draft-mbelshe-httpbis-spdy-00, section 2.
import { Duplex } from "node:stream";
import { ConnectionError } from "../transport/transport";

const TYPE = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7 } as const;
const VERSION = 0x8003;
const FIN = 1;
const HEAD_BYTES = 8;
const STREAM_ID_MAX = 0x7fffffff;
/** Maximum length of the content of a data frame. */
const DATA_MAX_BYTES = 32 * 1024;
/** Maximum length of the content of a frame that is held in memory. */
const CONTROL_MAX_BYTES = 64 * 1024;

export class SpdySession {
  /** Resolves at the end of the connection, with the error that ended it. */
  readonly closed: Promise<ConnectionError | undefined>;
  private readonly streams = new Map<number, SpdyStream>();
  private pending: Buffer = NOTHING;
  /** Remaining content of a data frame. */
  private data: { readonly id: number; readonly fin: boolean; left: number } | undefined;
  private nextId = 1;
  private isFirstBlock = true;
  private isClosing = false;
  private isClosed = false;
  private readonly full = new Set<SpdyStream>();
  private tellClosed: (error: ConnectionError | undefined) => void = () => {};

  /** @param head bytes that arrived with the answer to the upgrade */
  constructor(
    private readonly socket: Duplex,
    head: Buffer,
  ) {
    this.closed = new Promise((resolve) => {
      this.tellClosed = resolve;
    });
    socket.on("error", (cause) => this.end(lost(cause)));
    socket.on("end", () => this.end(lost(undefined)));
    socket.on("close", () => this.end(lost(undefined)));
    if (head.length > 0) socket.unshift(head);
    socket.on("data", (piece: Buffer) => this.take(piece));
  }

  /** Opens a stream. @param headers names in lower case */
  open(headers: Readonly<Record<string, string>>): SpdyStream {
    const id = this.nextId;
    this.nextId += 2;
    const stream = new SpdyStream({
      write: (piece, done) => this.write(id, piece, done),
      finish: (done) => this.socket.write(dataFrame(id, FIN, NOTHING), done),
      wanted: () => this.wanted(stream),
      left: () => this.left(id, stream),
    });
    this.streams.set(id, stream);
    const fixed = Buffer.alloc(10);
    fixed.writeUInt32BE(id, 0);
    this.socket.write(controlFrame(TYPE.synStream, Buffer.concat([fixed, this.headerBlock(headers)])));
    return stream;
  }

  /** Closes the connection and its streams. */
  close(): void {
    if (this.isClosing || this.isClosed) return;
    this.isClosing = true;
    this.socket.end();
    this.end(undefined);
  }

  private write(id: number, piece: Buffer, done: (error?: Error | null) => void): void {
    for (let at = 0; at < piece.length; at += DATA_MAX_BYTES) {
      const isLast = at + DATA_MAX_BYTES >= piece.length;
      this.socket.write(dataFrame(id, 0, piece.subarray(at, at + DATA_MAX_BYTES)), isLast ? done : undefined);
    }
    if (piece.length === 0) done();
  }

  /**
   * Returns a block of headers as stored blocks of a zlib stream that never uses its dictionary. An empty block follows,
   * at which decoders pass on what they have read. Source: RFC 1950; RFC 1951, section 3.2.4.
   */
  private headerBlock(headers: Readonly<Record<string, string>>): Buffer {
    const parts = [uint32(Object.keys(headers).length)];
    for (const [name, value] of Object.entries(headers)) parts.push(text(name), text(value));
    const plain = Buffer.concat(parts);
    const start = this.isFirstBlock ? ZLIB_HEADER : NOTHING;
    this.isFirstBlock = false;
    return Buffer.concat([start, storedBlock(plain), storedBlock(NOTHING)]);
  }

  private take(piece: Buffer): void {
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece]);
    try {
      while (this.data === undefined ? this.frame() : this.content(this.data));
    } catch (cause) {
      this.end(lost(cause));
    }
  }

  private frame(): boolean {
    const { pending } = this;
    if (pending.length < HEAD_BYTES) return false;
    const length = pending.readUIntBE(5, 3);
    if (((pending[0] as number) & 0x80) === 0) {
      this.data = { id: pending.readUInt32BE(0), fin: ((pending[4] as number) & FIN) !== 0, left: length };
      this.pending = pending.subarray(HEAD_BYTES);
      return true;
    }
    if (length > CONTROL_MAX_BYTES) throw new Error(`a SPDY control frame has more than ${CONTROL_MAX_BYTES} bytes`);
    if (pending.length < HEAD_BYTES + length) return false;
    this.pending = pending.subarray(HEAD_BYTES + length);
    this.control(pending.readUInt16BE(2), pending[4] as number, pending.subarray(HEAD_BYTES, HEAD_BYTES + length));
    return true;
  }

  private content(data: NonNullable<typeof this.data>): boolean {
    const part = this.pending.subarray(0, data.left);
    this.pending = this.pending.subarray(part.length);
    data.left -= part.length;
    const stream = this.streams.get(data.id);
    if (part.length > 0 && stream?.receive(part) === false) {
      this.full.add(stream);
      this.socket.pause();
    }
    if (data.left > 0) return false;
    this.data = undefined;
    if (data.fin) stream?.finish();
    return true;
  }

  private control(type: number, flags: number, body: Buffer): void {
    if (type === TYPE.ping && body.length === 4) this.socket.write(controlFrame(TYPE.ping, body));
    if (body.length < 4) return;
    const id = body.readUInt32BE(0) & STREAM_ID_MAX;
    const stream = this.streams.get(id);
    // Kubelets reset all streams at the end of a command.
    if (type === TYPE.reset) stream?.reset();
    else if (type === TYPE.synReply && (flags & FIN) !== 0) stream?.finish();
    else if (type === TYPE.synStream) this.socket.write(resetFrame(id, REFUSED_STREAM));
    else if (type === TYPE.goAway) this.isClosing = true;
  }

  /** Reads on when no stream is full any more. */
  private wanted(stream: SpdyStream): void {
    if (this.full.delete(stream) && this.full.size === 0) this.socket.resume();
  }

  private left(id: number, stream: SpdyStream): void {
    this.streams.delete(id);
    this.wanted(stream);
    if (!this.isClosed && !stream.isComplete) this.socket.write(resetFrame(id, CANCEL));
  }

  private end(error: ConnectionError | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const reported = this.isClosing ? undefined : error;
    // A stream that has ended may still hold unread bytes.
    for (const stream of [...this.streams.values()]) if (!stream.isAtEnd) stream.destroy(error);
    if (error !== undefined) this.socket.destroy();
    this.tellClosed(reported);
  }
}

interface StreamDeps {
  readonly write: (piece: Buffer, done: (error?: Error | null) => void) => void;
  readonly finish: (done: (error?: Error | null) => void) => void;
  readonly wanted: () => void;
  readonly left: () => void;
}

export class SpdyStream extends Duplex {
  /** The server has ended its direction. */
  isAtEnd = false;
  private isReset = false;

  constructor(private readonly deps: StreamDeps) {
    super();
    this.on("error", () => {}); // reported to the reader; there may be none
  }

  /** Both directions have ended, or the server has reset the stream. */
  get isComplete(): boolean {
    return this.isReset || (this.isAtEnd && this.writableFinished);
  }

  /** @returns false when the stream is full */
  receive(piece: Buffer): boolean {
    return this.isAtEnd || this.destroyed || this.push(piece);
  }

  /** Ends what is read. What is still written is dropped. */
  reset(): void {
    this.isReset = true;
    this.finish();
  }

  finish(): void {
    if (this.isAtEnd) return;
    this.isAtEnd = true;
    this.push(null);
  }

  override _read(): void {
    this.deps.wanted();
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.isReset) done();
    else this.deps.write(piece, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.isReset) done();
    else this.deps.finish(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.deps.left();
    done(error);
  }
}

const NOTHING = Buffer.alloc(0);
/** Deflate with the smallest window and without a dictionary. */
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);
const REFUSED_STREAM = 3;
const CANCEL = 5;

const lost = (cause: unknown): ConnectionError =>
  new ConnectionError(`the connection was lost${cause instanceof Error ? `: ${cause.message}` : ""}`, { cause });

function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(~content.length & 0xffff, 3);
  return Buffer.concat([head, content]);
}

function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

const resetFrame = (id: number, status: number): Buffer =>
  controlFrame(TYPE.reset, Buffer.concat([uint32(id), uint32(status)]));

function dataFrame(id: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(id, 0);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
