// Writer of protobuf messages from end to start: the length of a nested message is known when its header is written, so
// nothing is measured or moved. Fields are therefore written in reverse order.

const FIRST_BYTES = 16 * 1024;
/** A larger buffer is not kept for the next message. */
const KEPT_BYTES_MAX = 1024 * 1024;
/** Shorter texts are written faster here than by a native call. */
const SHORT_TEXT = 48;
const UINT32 = 2 ** 32;

export class ProtobufWriter {
  private buffer: Buffer;
  /** Position of the first written byte. */
  private start: number;

  /** @param bytes initial size; it grows as needed */
  constructor(bytes = FIRST_BYTES) {
    this.buffer = Buffer.allocUnsafeSlow(bytes);
    this.start = bytes;
  }

  /** Number of bytes written since the last `take`. */
  get length(): number {
    return this.buffer.length - this.start;
  }

  /** Returns a copy of the written bytes and clears the writer. */
  take(): Buffer {
    const written = Buffer.allocUnsafeSlow(this.length);
    this.buffer.copy(written, 0, this.start);
    this.clear();
    return written;
  }

  /** Discards the written bytes. */
  clear(): void {
    if (this.buffer.length > KEPT_BYTES_MAX) this.buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.start = this.buffer.length;
  }

  /** Writes a varint. @param value an unsigned 32-bit integer */
  varint(value: number): void {
    if (value < 0x80) {
      this.reserve(1);
      this.buffer[--this.start] = value;
      return;
    }
    const size = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    this.reserve(size);
    let at = this.start - size;
    this.start = at;
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.buffer[at++] = (rest & 0x7f) | 0x80;
    this.buffer[at] = rest;
  }

  /** Writes a signed 32-bit or 64-bit integer within the safe range of numbers; negative ones take ten bytes. */
  integer(value: number): void {
    if (value >= 0 && value < UINT32) this.varint(value);
    else this.wideVarint(value >>> 0, Math.floor(value / UINT32) >>> 0);
  }

  /** Writes a signed 64-bit integer. */
  bigInteger(value: bigint): void {
    this.wideVarint(Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n)));
  }

  private wideVarint(lowBits: number, highBits: number): void {
    if (highBits === 0) {
      this.varint(lowBits);
      return;
    }
    let low = lowBits;
    let high = highBits;
    const bytes: number[] = [];
    while (high > 0 || low >= 0x80) {
      bytes.push((low & 0x7f) | 0x80);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    bytes.push(low);
    this.reserve(bytes.length);
    this.start -= bytes.length;
    this.buffer.set(bytes, this.start);
  }

  double(value: number): void {
    this.reserve(8);
    this.start -= 8;
    this.buffer.writeDoubleLE(value, this.start);
  }

  /** Writes UTF-8 text with its length prefix. */
  text(text: string): void {
    const { length } = text;
    if (length <= SHORT_TEXT && this.shortAscii(text)) {
      this.varint(length);
      return;
    }
    const bytes = Buffer.byteLength(text);
    this.reserve(bytes);
    this.start -= bytes;
    this.buffer.write(text, this.start, bytes, "utf8");
    this.varint(bytes);
  }

  /** Writes short ASCII text. @returns false, without writing, for other characters */
  private shortAscii(text: string): boolean {
    const { length } = text;
    this.reserve(length);
    const at = this.start - length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      this.buffer[at + index] = code;
    }
    this.start = at;
    return true;
  }

  /** Writes bytes without a length prefix. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.start -= bytes.length;
    this.buffer.set(bytes, this.start);
  }

  private reserve(bytes: number): void {
    if (this.start >= bytes) return;
    const { length } = this;
    let size = this.buffer.length * 2;
    while (size - length < bytes) size *= 2;
    const larger = Buffer.allocUnsafeSlow(size);
    this.buffer.copy(larger, size - length, this.start);
    this.buffer = larger;
    this.start = size - length;
  }
}
