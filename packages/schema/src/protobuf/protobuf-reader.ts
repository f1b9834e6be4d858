// Reader of untrusted protobuf messages: every step checks the end of the enclosing message.
import { exactInteger } from "../json/exact-json";
import { ProtobufError } from "./protobuf-error";

/** Maximum nesting of messages. Together with their JSON texts, it is within the stack of every recursive walk. */
const DEPTH_MAX = 500;
const UINT32 = 2 ** 32;

export class ProtobufReader {
  private readonly data: Buffer;
  private at = 0;
  /** End of the message that is being read. */
  private end: number;
  private level: number;
  /** Upper half of the last varint. */
  private high = 0;

  /** @param depth number of messages that contain the bytes */
  constructor(bytes: Uint8Array, depth = 0) {
    this.level = depth;
    this.data = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  /** Reports whether the current message has more fields. */
  get hasMore(): boolean {
    return this.at < this.end;
  }

  /** Returns the number of messages that contain the current one. */
  get depth(): number {
    return this.level;
  }

  /** Enters the next message. @returns the argument of `leave` */
  enter(): number {
    const length = this.varint();
    if (this.high !== 0 || length > this.end - this.at) throw truncated();
    if (++this.level > DEPTH_MAX) throw new ProtobufError(`nested deeper than ${DEPTH_MAX} messages`);
    const outerEnd = this.end;
    this.end = this.at + length;
    return outerEnd;
  }

  leave(outerEnd: number): void {
    this.end = outerEnd;
    this.level--;
  }

  /** Returns the key of a field: number * 8 + wire type. */
  key(): number {
    const key = this.varint();
    if (this.high !== 0 || key < 8) throw new ProtobufError("a field has no valid number");
    return key;
  }

  /** Reads a varint, and returns its lower 32 bits. */
  varint(): number {
    const first = this.byte();
    this.high = 0;
    if (first < 0x80) return first;
    let low = first & 0x7f;
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return low;
    }
    const middle = this.byte();
    low = (low | ((middle & 0x0f) << 28)) >>> 0;
    let high = (middle & 0x7f) >>> 4;
    if (middle >= 0x80) {
      let shift = 3;
      for (let byte = 0x80; byte >= 0x80; shift += 7) {
        if (shift > 31) throw new ProtobufError("an integer is longer than 64 bits");
        byte = this.byte();
        high |= (byte & 0x7f) << shift;
      }
    }
    this.high = high >>> 0;
    return low;
  }

  private byte(): number {
    if (this.at >= this.end) throw truncated();
    return this.data[this.at++] as number;
  }

  bool(): boolean {
    return this.varint() !== 0 || this.high !== 0;
  }

  int32(): number {
    return this.varint() | 0;
  }

  uint32(): number {
    return this.varint() >>> 0;
  }

  int64(): number | bigint {
    const low = this.varint() >>> 0;
    const number = (this.high | 0) * UINT32 + low;
    return Number.isSafeInteger(number) ? number : exactInteger(String(this.signed(low)));
  }

  bigInt64(): bigint {
    return this.signed(this.varint() >>> 0);
  }

  /** Returns a signed value. @param low lower half of the last varint */
  private signed(low: number): bigint {
    return BigInt.asIntN(64, (BigInt(this.high) << 32n) | BigInt(low));
  }

  double(): number {
    if (this.end - this.at < 8) throw truncated();
    this.at += 8;
    return this.data.readDoubleLE(this.at - 8);
  }

  text(): string {
    const start = this.passBytes();
    return this.data.toString("utf8", start, this.at);
  }

  /** Returns bytes as a slice of the input. */
  bytes(): Buffer {
    const start = this.passBytes();
    return this.data.subarray(start, this.at);
  }

  /** Skips length-delimited bytes. @returns their start; they end at the new position */
  private passBytes(): number {
    const length = this.varint();
    if (this.high !== 0 || length > this.end - this.at) throw truncated();
    const start = this.at;
    this.at += length;
    return start;
  }

  /** Skips the value of an unknown field. */
  skip(key: number): void {
    let openGroups = 0;
    for (let next = key; ; next = this.key()) {
      switch (next & 7) {
        case 0:
          this.varint();
          break;
        case 1:
          this.pass(8);
          break;
        case 2:
          this.passBytes();
          break;
        case 3:
          openGroups++;
          break;
        case 4:
          if (--openGroups < 0) throw new ProtobufError("a group ends that has not begun");
          break;
        case 5:
          this.pass(4);
          break;
        default:
          throw new ProtobufError(`unknown wire type ${next & 7}`);
      }
      if (openGroups === 0) return;
    }
  }

  private pass(bytes: number): void {
    if (bytes > this.end - this.at) throw truncated();
    this.at += bytes;
  }
}

function truncated(): ProtobufError {
  return new ProtobufError("the data ends within a field");
}
