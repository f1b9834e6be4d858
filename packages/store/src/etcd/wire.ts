// Encoding of messages: protobuf in a gRPC frame (one byte "not compressed", four bytes length, then the message).

import { BufferReader, Writer } from "protobufjs/minimal";
import type { Codec } from "../generated/etcd";
import { GRPC_STATUS, GrpcError } from "./transport";

export const FRAME_PREFIX_BYTES = 5;
const PREFIX = Buffer.alloc(FRAME_PREFIX_BYTES);
/** Limit of a received message. No answer of etcd is near it. A frame that claims more is refused at its header. */
export const MESSAGE_MAX_BYTES = 1024 * 1024 * 1024;

/** First size of the buffer of a message that arrives in several chunks. */
const FIRST_BUFFER_BYTES = 256 * 1024;

/** Size of a message without its values. */
const ROOM_BYTES = 1024;

/**
 * Encodes a message. @param valueBytes total size of its values: avoids copies into growing buffers
 * @returns the message after its frame header
 */
export function encode<T>(codec: Codec<T>, message: T, valueBytes = 0): Buffer {
  const writer = Writer.create();
  if (valueBytes > 0) writer.buf = Buffer.allocUnsafe(valueBytes + ROOM_BYTES);
  // Reserve the header, so that message and frame share one buffer.
  writer.raw(PREFIX);
  codec.encode(message, writer);
  const framed = writer.finish(true) as Buffer;
  framed.writeUInt32BE(framed.length - FRAME_PREFIX_BYTES, 1);
  return framed;
}

/**
 * Decodes a message. @param bytes the message without its frame; the result keeps no reference to it
 * @throws GrpcError dataLoss for invalid bytes
 */
export function decode<T>(codec: Codec<T>, bytes: Buffer): T {
  try {
    return codec.decode(new EtcdReader(bytes));
  } catch (error) {
    throw unreadable(`a message cannot be decoded: ${(error as Error).message}`);
  }
}

const unreadable = (why: string) =>
  new GrpcError(GRPC_STATUS.dataLoss, `cannot decode the server's answer: ${why}`, true);

/**
 * Reads 64-bit integers as numbers (revisions stay below 2^53, and so do the leases granted here), and copies bytes out
 * of the message.
 */
class EtcdReader extends BufferReader {
  // @ts-expect-error the library declares a Long, which it also returns as a number where no Long class is loaded
  override int64(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.pos >= this.len) throw new RangeError("an integer extends beyond its message");
      const byte = this.buf[this.pos++] as number;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
    }
  }

  // @ts-expect-error the library declares a Long here, too
  override uint64(): number {
    return this.int64();
  }

  override bytes(): Buffer {
    return Buffer.from(super.bytes());
  }
}

/** Whether the bytes are exactly one framed message, like nearly every answer. */
export const isWholeFrame = (bytes: Buffer): boolean =>
  bytes.length >= FRAME_PREFIX_BYTES && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - FRAME_PREFIX_BYTES;

/** A message that arrives in several chunks. Its buffer grows with the bytes that arrive. */
class PartialMessage {
  private bytes: Buffer;
  private filled = 0;

  /** @param length as the frame claims it */
  constructor(private readonly length: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.min(length, FIRST_BUFFER_BYTES));
  }

  /** The message; undefined while bytes are missing. */
  get whole(): Buffer | undefined {
    return this.filled === this.length ? this.bytes : undefined;
  }

  /** @returns the bytes of the chunk that follow the message */
  take(chunk: Buffer): Buffer {
    const count = Math.min(chunk.length, this.length - this.filled);
    this.reserve(this.filled + count);
    chunk.copy(this.bytes, this.filled, 0, count);
    this.filled += count;
    return chunk.subarray(count);
  }

  private reserve(needed: number): void {
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.length, Math.max(needed, 2 * this.bytes.length)));
    this.bytes.copy(larger, 0, 0, this.filled);
    this.bytes = larger;
  }
}

/**
 * Splits a byte stream into messages. A message that arrived in one chunk is a slice of it; others are assembled.
 */
export class FrameReader {
  private readonly onMessage: (message: Buffer) => void;
  private pending: Buffer = PREFIX.subarray(0, 0);
  private partial: PartialMessage | undefined;

  constructor(onMessage: (message: Buffer) => void) {
    this.onMessage = onMessage;
  }

  /** @throws GrpcError dataLoss for an invalid frame */
  push(chunk: Buffer): void {
    let rest = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = rest.subarray(0, 0);
    while (rest.length > 0) {
      if (this.partial !== undefined) {
        rest = this.partial.take(rest);
        const { whole } = this.partial;
        if (whole === undefined) return;
        this.partial = undefined;
        this.onMessage(whole);
        continue;
      }
      if (rest.length < FRAME_PREFIX_BYTES) {
        this.pending = rest;
        return;
      }
      const length = rest.readUInt32BE(1);
      if (rest[0] !== 0) throw unreadable("a frame is compressed although no compression was negotiated");
      if (length > MESSAGE_MAX_BYTES) throw unreadable(`a frame announces ${length} bytes, which exceeds the maximum`);
      const body = rest.subarray(FRAME_PREFIX_BYTES);
      if (body.length >= length) {
        this.onMessage(body.subarray(0, length));
        rest = body.subarray(length);
      } else {
        this.partial = new PartialMessage(length);
        rest = body;
      }
    }
  }
}
