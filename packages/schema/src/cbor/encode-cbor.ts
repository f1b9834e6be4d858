// Writes JSON values as CBOR, as kube-apiserver does: strings and keys as byte strings, numbers in the shortest form that
// keeps their value, containers with their length. Source:
// staging/src/k8s.io/apimachinery/pkg/runtime/serializer/cbor/internal/modes/encode.go.
import type { JsonValue } from "../json/json-value";
import { halfBits, MAJOR, type Major } from "./cbor-head";

/** Tag 55799, which marks data as CBOR. Source: RFC 8949, section 3.4.6. */
export const SELF_DESCRIBED = Buffer.from([0xd9, 0xd9, 0xf7]);

/** Encodes a value without the mark of self-described CBOR. */
export function encodeCbor(value: JsonValue): Buffer {
  const writer = new Writer();
  writer.value(value);
  return writer.whole();
}

/** Encodes a complete data item of an answer, marked as CBOR. */
export const cborDocument = (value: JsonValue): Buffer => Buffer.concat([SELF_DESCRIBED, encodeCbor(value)]);

/** Returns the head of a map or an array of `count` pairs or items, which follow it. */
export function cborHead(container: "map" | "array", count: number): Buffer {
  const writer = new Writer(16);
  writer.head(container === "map" ? MAJOR.map : MAJOR.array, count);
  return writer.whole();
}

const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const HALF = 0xf9;
const SINGLE = 0xfa;
const DOUBLE = 0xfb;
const FIRST_BYTES = 1024;
const HEAD_MAX_BYTES = 9;

class Writer {
  private bytes: Buffer;
  private at = 0;

  constructor(bytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafe(bytes);
  }

  whole(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  value(value: JsonValue): void {
    switch (typeof value) {
      case "string":
        this.string(value);
        break;
      case "number":
        this.number(value);
        break;
      case "bigint":
        this.integer(value);
        break;
      case "boolean":
        this.byte(value ? TRUE : FALSE);
        break;
      case "object":
        if (value === null) this.byte(NULL);
        else if (Array.isArray(value)) {
          this.head(MAJOR.array, value.length);
          for (const item of value) this.value(item);
        } else {
          const keys = Object.keys(value);
          this.head(MAJOR.map, keys.length);
          for (const key of keys) {
            this.string(key);
            this.value(value[key] as JsonValue);
          }
        }
    }
  }

  head(major: Major, argument: number): void {
    this.reserve(HEAD_MAX_BYTES);
    const type = major << 5;
    if (argument < 24) this.bytes[this.at++] = type | argument;
    else if (argument < 0x100) {
      this.bytes[this.at++] = type | 24;
      this.bytes[this.at++] = argument;
    } else if (argument < 0x1_0000) {
      this.bytes[this.at++] = type | 25;
      this.at = this.bytes.writeUInt16BE(argument, this.at);
    } else if (argument < 0x1_0000_0000) {
      this.bytes[this.at++] = type | 26;
      this.at = this.bytes.writeUInt32BE(argument, this.at);
    } else this.longHead(major, BigInt(argument));
  }

  private longHead(major: Major, argument: bigint): void {
    this.reserve(HEAD_MAX_BYTES);
    this.bytes[this.at++] = (major << 5) | 27;
    this.at = this.bytes.writeBigUInt64BE(argument, this.at);
  }

  private string(text: string): void {
    const length = Buffer.byteLength(text);
    this.head(MAJOR.bytes, length);
    this.reserve(length);
    this.at += this.bytes.write(text, this.at, length);
  }

  private number(value: number): void {
    if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) this.integer(value);
    else this.float(value);
  }

  private integer(value: number | bigint): void {
    const argument = typeof value === "bigint" || !Number.isSafeInteger(value) ? BigInt(value) : value;
    const major = argument < 0 ? MAJOR.negative : MAJOR.unsigned;
    if (typeof argument === "bigint") this.longHead(major, argument < 0n ? -1n - argument : argument);
    else this.head(major, argument < 0 ? -1 - argument : argument);
  }

  private float(value: number): void {
    this.reserve(HEAD_MAX_BYTES);
    const half = halfBits(value);
    if (half !== undefined) {
      this.bytes[this.at++] = HALF;
      this.at = this.bytes.writeUInt16BE(half, this.at);
    } else if (Math.fround(value) === value) {
      this.bytes[this.at++] = SINGLE;
      this.at = this.bytes.writeFloatBE(value, this.at);
    } else {
      this.bytes[this.at++] = DOUBLE;
      this.at = this.bytes.writeDoubleBE(value, this.at);
    }
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  private reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.at + length));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
