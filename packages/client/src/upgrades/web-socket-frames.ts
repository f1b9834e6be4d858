// Frames of WebSocket connections, from the client's side. A separate implementation, because the package ws accepts no
// subprotocol with a slash, as that of port forwarding has. Source: RFC 6455, sections 5 and 7.
import { randomBytes } from "node:crypto";

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const FIN = 0x80;
const MASKED = 0x80;
const RESERVED = 0x70;
const IS_CONTROL = 8;
const CONTROL_MAX_BYTES = 125;
const LENGTH_OF_2_BYTES = 126;
const LENGTH_OF_8_BYTES = 127;

/** Returns a whole masked message. */
export function frame(opcode: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const wide = length > 0xffff ? 8 : length > CONTROL_MAX_BYTES ? 2 : 0;
  const start = 2 + wide + 4;
  const bytes = Buffer.allocUnsafe(start + length);
  bytes[0] = FIN | opcode;
  bytes[1] = MASKED | (wide === 8 ? LENGTH_OF_8_BYTES : wide === 2 ? LENGTH_OF_2_BYTES : length);
  if (wide === 2) bytes.writeUInt16BE(length, 2);
  else if (wide === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  const mask = randomBytes(4);
  bytes.set(mask, 2 + wide);
  let at = start;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  for (let index = 0; index < length; index += 1) {
    bytes[start + index] = (bytes[start + index] as number) ^ (mask[index & 3] as number);
  }
  return bytes;
}

export interface FrameSink {
  /** Receives a part of a message, as soon as it has arrived. @param starts the part is the first of its message */
  part(data: Buffer, starts: boolean): void;
  /** Receives a ping, a pong or a close frame. */
  control(opcode: number, data: Buffer): void;
}

/** The peer does not speak WebSocket as RFC 6455 defines it. */
class WebSocketError extends Error {
  override readonly name = "WebSocketError";
}

/** Parses frames of a server. Messages are passed on in parts: no message is held in memory. */
export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);
  /** Bytes of the payload that are still to come; undefined: a header is next. */
  private left: number | undefined;
  private opcode = 0;
  private isFinal = true;
  /** A message has begun and goes on in the next data frame. */
  private isOpen = false;
  private startsMessage = false;

  constructor(private readonly sink: FrameSink) {}

  /** @throws Error that names the rule which the input breaks */
  take(data: Buffer): void {
    this.pending = this.pending.length === 0 ? data : Buffer.concat([this.pending, data]);
    while (this.left === undefined ? this.header() : this.payload(this.left));
  }

  private header(): boolean {
    const { pending } = this;
    if (pending.length < 2) return false;
    const [first, second] = [pending[0] as number, pending[1] as number];
    const short = second & 0x7f;
    const end = 2 + (short === LENGTH_OF_8_BYTES ? 8 : short === LENGTH_OF_2_BYTES ? 2 : 0);
    if ((first & RESERVED) !== 0) throw new WebSocketError("a frame uses an extension that was not negotiated");
    if ((second & MASKED) !== 0) throw new WebSocketError("a frame of the server is masked");
    if (pending.length < end) return false;
    this.opcode = first & 0x0f;
    this.isFinal = (first & FIN) !== 0;
    this.left = end === 2 ? short : end === 4 ? pending.readUInt16BE(2) : Number(pending.readBigUInt64BE(2));
    this.pending = pending.subarray(end);
    this.check(this.left);
    return true;
  }

  private check(length: number): void {
    const { opcode, isFinal, isOpen } = this;
    if (opcode >= IS_CONTROL) {
      if (!isFinal || length > CONTROL_MAX_BYTES) throw new WebSocketError("a control frame is too long");
      return;
    }
    if (opcode > OPCODES.binary) throw new WebSocketError(`a frame has the unknown opcode ${opcode}`);
    if ((opcode === OPCODES.continuation) !== isOpen) throw new WebSocketError("the frames of a message are mixed");
    if (!isOpen) this.startsMessage = true;
    this.isOpen = !isFinal;
  }

  private payload(left: number): boolean {
    const { pending } = this;
    if (this.opcode >= IS_CONTROL) {
      if (pending.length < left) return false;
      this.pending = pending.subarray(left);
      this.left = undefined;
      this.sink.control(this.opcode, pending.subarray(0, left));
      return true;
    }
    const part = pending.subarray(0, left);
    this.pending = pending.subarray(part.length);
    this.left = left === part.length ? undefined : left - part.length;
    if (part.length > 0) {
      this.sink.part(part, this.startsMessage);
      this.startsMessage = false;
    }
    return this.left === undefined;
  }
}
