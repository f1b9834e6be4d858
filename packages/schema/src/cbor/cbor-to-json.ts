// Translates a CBOR data item (RFC 8949) to JSON, so that a body is read by one set of rules whatever its encoding.
// Accepts what kube-apiserver accepts: text and byte strings are texts, tags 21 to 23 announce a later text encoding of
// bytes, simple values other than false, true and null are refused. Source:
// staging/src/k8s.io/apimachinery/pkg/runtime/serializer/cbor/internal/modes/decode.go.
import { isUtf8 } from "node:buffer";
import { DEPTH_MAX } from "../json/exact-json";
import { type Head, MAJOR, readHead, SIMPLE } from "./cbor-head";

/** Error of a body that is not valid CBOR, or that JSON cannot express. */
export class CborError extends Error {
  override readonly name = "CborError";

  constructor(message: string, offset: number) {
    super(`${message} at byte ${offset}`);
  }
}

/** Number of data items between two pauses, a few milliseconds. */
const STEP_ITEMS = 4096;

/** Tags that have a meaning here. Source: RFC 8949, section 3.4. */
const TAG = {
  dateTime: 0n,
  epochTime: 1n,
  positiveBignum: 2n,
  negativeBignum: 3n,
  base64Url: 21n,
  base64: 22n,
  base16: 23n,
} as const;

interface Container {
  readonly isMap: boolean;
  /** Number of missing items or pairs; -1 when a break ends the container. */
  left: number;
  isEmpty: boolean;
  /** Keys so far. RFC 8949, section 5.6: duplicate keys make a map invalid. */
  readonly keys: Set<string> | undefined;
}

/**
 * Translates one data item; pauses are possible wherever it yields.
 * @param jsonMaxBytes maximum length of the JSON text
 * @throws CborError for invalid CBOR, a duplicate key, a value without a JSON form, or a text above the limit
 */
export function* cborToJson(cbor: Buffer, jsonMaxBytes: number): Generator<void, Buffer> {
  const translation = new Translation(cbor, jsonMaxBytes);
  while (!translation.step()) yield;
  return translation.json();
}

class Translation {
  private at = 0;
  private readonly open: Container[] = [];
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  private text = "";

  constructor(
    private readonly cbor: Buffer,
    private readonly jsonMaxBytes: number,
  ) {}

  /** Translates some items. @returns whether the data item is complete */
  step(): boolean {
    const end = Math.min(this.cbor.length, this.at + STEP_ITEMS * 16);
    for (let items = 0; items < STEP_ITEMS && (items === 0 || this.at < end); items += 1) {
      if (this.advance()) {
        if (this.at < this.cbor.length) throw this.error("bytes follow the data item");
        this.flush();
        return true;
      }
    }
    this.flush();
    return false;
  }

  json(): Buffer {
    return this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
  }

  /** Translates the next item, with its key in a map. @returns whether nothing is open any more */
  private advance(): boolean {
    const container = this.open[this.open.length - 1];
    if (container === undefined) {
      this.value();
      return this.closed();
    }
    if (!container.isEmpty) this.text += ",";
    container.isEmpty = false;
    if (container.isMap) this.key(container);
    if (container.left > 0) container.left -= 1;
    this.value();
    return this.closed();
  }

  /** Closes all complete containers. @returns whether nothing is open any more */
  private closed(): boolean {
    for (let container = this.open.at(-1); container !== undefined; container = this.open.at(-1)) {
      if (container.left < 0 ? !this.takeBreak() : container.left > 0) return false;
      this.open.pop();
      this.text += container.isMap ? "}" : "]";
    }
    return true;
  }

  private takeBreak(): boolean {
    if (this.cbor[this.at] !== BREAK) return false;
    this.at += 1;
    return true;
  }

  private key({ keys }: Container): void {
    const start = this.at;
    const head = this.head();
    if (head.major !== MAJOR.bytes && head.major !== MAJOR.text) throw this.error("a map key is not a string", start);
    const key = this.string(head).toString();
    if (keys?.has(key) === true) throw this.error(`a map has the key ${JSON.stringify(shortened(key))} twice`, start);
    keys?.add(key);
    this.text += `${JSON.stringify(key)}:`;
  }

  private value(): void {
    const start = this.at;
    let head = this.head();
    let tag: bigint | undefined;
    for (let tags = 0; head.major === MAJOR.tag; head = this.head()) {
      tag = head.argument;
      tags += 1;
      if (tags > TAGS_MAX) throw this.error(`an item has more than ${TAGS_MAX} tags`, start);
      if (tag === TAG.positiveBignum || tag === TAG.negativeBignum) throw this.error("bignums are not allowed", start);
    }
    switch (head.major) {
      case MAJOR.unsigned:
      case MAJOR.negative:
        this.text +=
          tag === TAG.epochTime ? this.time(Number(this.integer(head, start)), start) : this.integer(head, start);
        break;
      case MAJOR.bytes:
        this.text += JSON.stringify(encoded(this.string(head), tag));
        break;
      case MAJOR.text:
        this.text += JSON.stringify(this.string(head).toString());
        break;
      case MAJOR.array:
      case MAJOR.map:
        this.container(head, start);
        break;
      case MAJOR.other:
        this.text += this.other(head, tag, start);
    }
  }

  private integer({ major, argument, isIndefinite }: Head, start: number): string {
    if (isIndefinite) throw this.error("an integer has no value", start);
    if (argument > INT64_MAX) throw this.error("an integer has more than 64 bits", start);
    return String(major === MAJOR.negative ? -1n - argument : argument);
  }

  private container({ major, argument, isIndefinite }: Head, start: number): void {
    if (this.open.length >= DEPTH_MAX) throw this.error(`the nesting is deeper than ${DEPTH_MAX}`, start);
    const isMap = major === MAJOR.map;
    // Each item has at least one byte, so a longer container is known to be incomplete before it is read.
    if (!isIndefinite && argument > BigInt(this.cbor.length - this.at))
      throw this.error("the data ends too early", start);
    this.open.push({
      isMap,
      left: isIndefinite ? -1 : Number(argument),
      isEmpty: true,
      keys: isMap ? new Set() : undefined,
    });
    this.text += isMap ? "{" : "[";
  }

  /** Returns the bytes of a string, of all its chunks when it has no length. */
  private string({ major, argument, isIndefinite }: Head): Buffer {
    if (!isIndefinite) return this.slice(argument, major);
    const chunks: Buffer[] = [];
    while (!this.takeBreak()) {
      const start = this.at;
      if (chunks.length >= CHUNKS_MAX) throw this.error(`a string has more than ${CHUNKS_MAX} chunks`);
      const chunk = this.head();
      if (chunk.major !== major || chunk.isIndefinite) throw this.error("a chunk of a string has another type", start);
      chunks.push(this.slice(chunk.argument, major));
    }
    return Buffer.concat(chunks);
  }

  private slice(length: bigint, major: Head["major"]): Buffer {
    const start = this.at;
    if (length > BigInt(this.cbor.length - start)) throw this.error("the data ends too early", start);
    this.at += Number(length);
    const bytes = this.cbor.subarray(start, this.at);
    if (major === MAJOR.text && !isUtf8(bytes)) throw this.error("a text string is not valid UTF-8", start);
    return bytes;
  }

  private other(head: Head, tag: bigint | undefined, start: number): string {
    switch (head.simple) {
      case SIMPLE.false:
        return "false";
      case SIMPLE.true:
        return "true";
      case SIMPLE.null:
        return "null";
      case SIMPLE.float: {
        const { float } = head;
        if (!Number.isFinite(float)) throw this.error("a number is infinite or not a number", start);
        if (tag === TAG.epochTime) return this.time(float, start);
        // A fraction distinguishes a float from an integer: integer fields refuse it.
        return Number.isInteger(float) && Math.abs(float) < 1e21 ? `${float}.0` : String(float);
      }
      default:
        throw this.error("a simple value is not false, true or null", start);
    }
  }

  private time(seconds: number, start: number): string {
    const date = new Date(seconds * 1000);
    if (Number.isNaN(date.getTime())) throw this.error("a time is out of range", start);
    return JSON.stringify(date.toISOString().replace(/\.?0*Z$/, "Z"));
  }

  private head(): Head {
    const start = this.at;
    const head = readHead(this.cbor, start);
    if (head === undefined)
      throw this.error(start < this.cbor.length ? "a head is malformed" : "the data ends too early");
    this.at += head.length;
    return head;
  }

  /** Moves the text to the pieces. */
  private flush(): void {
    if (this.text === "") return;
    const piece = Buffer.from(this.text);
    this.text = "";
    this.bytes += piece.length;
    if (this.bytes > this.jsonMaxBytes) throw this.error(`the JSON form has more than ${this.jsonMaxBytes} bytes`);
    this.pieces.push(piece);
  }

  private error(message: string, offset = this.at): CborError {
    return new CborError(message, offset);
  }
}

const BREAK = 0xff;
const INT64_MAX = 2n ** 63n - 1n;
/** Maximum number of tags of one item. */
const TAGS_MAX = 16;
/** Maximum number of chunks of a string without a length: they are read in one step. */
const CHUNKS_MAX = 4096;
const KEY_SHOWN_MAX = 64;

const shortened = (key: string): string => (key.length > KEY_SHOWN_MAX ? `${key.slice(0, KEY_SHOWN_MAX)}…` : key);

/** Returns the text of a byte string: in the encoding that its tag announces, otherwise as UTF-8. */
function encoded(bytes: Buffer, tag: bigint | undefined): string {
  switch (tag) {
    case TAG.base64Url:
      return bytes.toString("base64url");
    case TAG.base64:
      return bytes.toString("base64");
    case TAG.base16:
      return bytes.toString("hex");
    default:
      return bytes.toString();
  }
}
