// Messages as bytes: protobuf in gRPC's frame (one byte "not compressed", four bytes length, then the message).

import { BufferReader, Writer } from "protobufjs/minimal";
import type { Codec } from "../generated/etcd";
import { GRPC_STATUS, GrpcError } from "./transport";

export const FRAME_PREFIX_BYTES = 5;
const PREFIX = Buffer.alloc(FRAME_PREFIX_BYTES);
/** No answer of etcd is near this: a longer one is not etcd's, and no memory is set aside for it. */
const MESSAGE_MAX_BYTES = 1024 * 1024 * 1024;

/** Beside its values a message has keys and numbers. */
const ROOM_BYTES = 1024;

/**
 * @param valueBytes what the values in it have together: known, it is not copied again and again into larger memory
 * @returns the message with its frame in front
 */
export function encode<T>(codec: Codec<T>, message: T, valueBytes = 0): Buffer {
  const writer = Writer.create();
  if (valueBytes > 0) writer.buf = Buffer.allocUnsafe(valueBytes + ROOM_BYTES);
  // Room for the prefix, so that message and frame are one buffer.
  writer.raw(PREFIX);
  codec.encode(message, writer);
  const framed = writer.finish(true) as Buffer;
  framed.writeUInt32BE(framed.length - FRAME_PREFIX_BYTES, 1);
  return framed;
}

/**
 * @param bytes the message without its frame; what is decoded keeps no part of it
 * @throws GrpcError dataLoss for bytes that are no such message
 */
export function decode<T>(codec: Codec<T>, bytes: Buffer): T {
  try {
    return codec.decode(new EtcdReader(bytes));
  } catch (error) {
    throw unreadable(`a message cannot be decoded: ${(error as Error).message}`);
  }
}

const unreadable = (why: string) =>
  new GrpcError(GRPC_STATUS.dataLoss, `the server's answer is unreadable: ${why}`, true);

/** Reads 64-bit integers as numbers (revisions stay below 2^53, and so do the leases granted here), and copies bytes out of the message. */
class EtcdReader extends BufferReader {
  // @ts-expect-error the library declares a Long, which it also returns as a number where no Long class is loaded
  override int64(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      if (this.pos >= this.len) throw new RangeError("an integer ends beyond its message");
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

/** Whether bytes are one message with its frame: nearly every answer comes so. */
export const isWholeFrame = (bytes: Buffer): boolean =>
  bytes.length >= FRAME_PREFIX_BYTES && bytes[0] === 0 && bytes.readUInt32BE(1) === bytes.length - FRAME_PREFIX_BYTES;

/** Cuts a byte stream into messages. A message that came in one piece is a slice of it; one that did not is put together once. */
export class FrameReader {
  private readonly onMessage: (message: Buffer) => void;
  private pending: Buffer = PREFIX.subarray(0, 0);
  /** Set while a message longer than what has come is being filled. */
  private message: Buffer | undefined;
  private filled = 0;

  constructor(onMessage: (message: Buffer) => void) {
    this.onMessage = onMessage;
  }

  /** @throws GrpcError dataLoss for what is no frame */
  push(chunk: Buffer): void {
    let rest = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = rest.subarray(0, 0);
    while (rest.length > 0) {
      if (this.message !== undefined) {
        const copied = rest.copy(this.message, this.filled);
        this.filled += copied;
        rest = rest.subarray(copied);
        if (this.filled < this.message.length) return;
        const whole = this.message;
        this.message = undefined;
        this.onMessage(whole);
        continue;
      }
      if (rest.length < FRAME_PREFIX_BYTES) {
        this.pending = rest;
        return;
      }
      const length = rest.readUInt32BE(1);
      if (rest[0] !== 0) throw unreadable("a frame is compressed, which nobody has asked for");
      if (length > MESSAGE_MAX_BYTES) throw unreadable(`a frame claims to hold ${length} bytes`);
      const body = rest.subarray(FRAME_PREFIX_BYTES);
      if (body.length >= length) {
        this.onMessage(body.subarray(0, length));
        rest = body.subarray(length);
      } else {
        this.message = Buffer.allocUnsafeSlow(length);
        this.filled = 0;
        rest = body;
      }
    }
  }
}
