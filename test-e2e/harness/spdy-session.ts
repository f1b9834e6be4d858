// The server side of SPDY/3.1, as far as kubelets need it: bidirectional streams opened by the client. Flow control is
// omitted: clients neither respect nor expect it. Source: draft-mbelshe-httpbis-spdy-00, 2.
import { once } from "node:events";
import { Duplex } from "node:stream";
import { constants, createDeflate, createInflate } from "node:zlib";
import { SPDY_DICTIONARY } from "./spdy-dictionary";

const TYPE = { synStream: 1, synReply: 2, reset: 3, ping: 6 } as const;
const VERSION = 0x8003;
const FIN = 1;
const HEAD_BYTES = 8;

/** Reads the connection to its end. @param opened called for each stream after its SYN_REPLY is sent */
export async function serveSpdy(socket: Duplex, opened: (stream: SpdyStream) => void): Promise<void> {
  const inflate = createInflate({ dictionary: SPDY_DICTIONARY });
  const deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  const streams = new Map<number, SpdyStream>();
  const reply = Buffer.alloc(4); // no headers at all
  for await (const { head, body } of framesOf(socket)) {
    const fin = ((head[4] ?? 0) & FIN) !== 0;
    if (((head[0] ?? 0) & 0x80) === 0) {
      streams.get(head.readUInt32BE(0))?.receive(body, fin);
      continue;
    }
    const type = head.readUInt16BE(2);
    if (type === TYPE.ping) socket.write(controlFrame(TYPE.ping, body));
    if (type === TYPE.reset) streams.get(body.readUInt32BE(0))?.receive(NOTHING, true);
    if (type !== TYPE.synStream) continue;
    const id = body.readUInt32BE(0) & 0x7fffffff;
    inflate.write(body.subarray(10));
    const stream = new SpdyStream(id, headersOf(await flushed(inflate)), socket);
    streams.set(id, stream);
    deflate.write(reply);
    socket.write(controlFrame(TYPE.synReply, Buffer.concat([uint32(id), await flushed(deflate)])));
    opened(stream);
    if (fin) stream.receive(NOTHING, true);
  }
  for (const stream of streams.values()) stream.destroy();
}

const NOTHING = Buffer.alloc(0);

export class SpdyStream extends Duplex {
  private ended = false;

  /** @param headers by lower-case name */
  constructor(
    private readonly id: number,
    readonly headers: ReadonlyMap<string, string>,
    private readonly socket: Duplex,
  ) {
    super();
    this.on("error", () => {});
  }

  receive(bytes: Buffer, last: boolean): void {
    if (this.ended) return;
    if (bytes.length > 0) this.push(bytes);
    if (!last) return;
    this.ended = true;
    this.push(null);
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(dataFrame(this.id, 0, piece), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.socket.write(dataFrame(this.id, FIN, NOTHING), done);
  }
}

async function* framesOf(socket: Duplex): AsyncGenerator<{ readonly head: Buffer; readonly body: Buffer }> {
  let pending: Buffer = NOTHING;
  for await (const piece of socket) {
    pending = Buffer.concat([pending, piece as Buffer]);
    while (pending.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + pending.readUIntBE(5, 3);
      if (pending.length < end) break;
      yield { head: pending.subarray(0, HEAD_BYTES), body: pending.subarray(HEAD_BYTES, end) };
      pending = pending.subarray(end);
    }
  }
}

/** Output of all input written so far. */
async function flushed(zlib: ReturnType<typeof createInflate | typeof createDeflate>): Promise<Buffer> {
  const done = new Promise<void>((resolve) => zlib.flush(constants.Z_SYNC_FLUSH, resolve));
  const first = zlib.readableLength > 0 ? undefined : once(zlib, "readable");
  await done;
  await first;
  return (zlib.read() as Buffer | null) ?? NOTHING;
}

function headersOf(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const end = at + 4 + block.readUInt32BE(at);
    const found = block.toString("utf8", at + 4, end);
    at = end;
    return found;
  };
  for (let left = block.readUInt32BE(0); left > 0; left -= 1) headers.set(text().toLowerCase(), text());
  return headers;
}

function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function dataFrame(id: number, flags: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(id, 0);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
