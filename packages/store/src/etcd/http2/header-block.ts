// Header fields as bytes, and back. What is sent is spelt out in full: it is short, and the peer need not remember it. What is
// received may be packed in every way that there is. Source: RFC 7541, sections 5 and 6.

import { type HeaderField, HeaderTable } from "./header-table";
import { unpackText } from "./huffman-code";

/** What both sides keep in mind, where nobody says otherwise. */
const TABLE_BYTES = 4096;
/** Longer texts have their length in several bytes; nothing that is sent is that long. */
const TEXT_MAX_BYTES = 126;
/** Beyond this a number of the peer is nonsense. */
const NUMBER_MAX = 2 ** 28;

/** @param fields printable ASCII of less than 127 characters each */
export function encodeHeaders(fields: readonly HeaderField[]): Buffer {
  const texts = fields.flatMap(({ name, value }) => ["\0", shortText(name), shortText(value)]);
  return Buffer.from(texts.join(""), "latin1");
}

function shortText(text: string): string {
  if (text.length > TEXT_MAX_BYTES) throw new RangeError(`a header text of ${text.length} characters`);
  return String.fromCharCode(text.length) + text;
}

/** Of one connection: what a block says may depend on those before it, so that all must be decoded, in order. */
export class HeaderDecoder {
  readonly #table = new HeaderTable(TABLE_BYTES);
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /** @throws RangeError for bytes that are no header block */
  decode(block: Buffer): HeaderField[] {
    this.#block = block;
    this.#at = 0;
    const fields: HeaderField[] = [];
    while (this.#at < block.length) {
      const field = this.#next(block[this.#at] as number);
      if (field !== undefined) fields.push(field);
    }
    return fields;
  }

  /** @returns undefined for an instruction to the table */
  #next(first: number): HeaderField | undefined {
    if (first >= 0x80) return this.#table.get(this.#number(7));
    if (first >= 0x40) {
      const field = this.#literal(6);
      this.#table.add(field);
      return field;
    }
    if (first < 0x20) return this.#literal(4);
    this.#table.resize(this.#number(5));
    return undefined;
  }

  /** @param bits of the first byte that hold the number of the name */
  #literal(bits: number): HeaderField {
    const number = this.#number(bits);
    const name = number === 0 ? this.#text() : this.#table.get(number).name;
    return { name, value: this.#text() };
  }

  #text(): string {
    const isPacked = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#number(7);
    const end = this.#at + length;
    if (end > this.#block.length) throw new RangeError("a header text ends beyond its block");
    const bytes = this.#block.subarray(this.#at, end);
    this.#at = end;
    return isPacked ? unpackText(bytes) : bytes.toString("latin1");
  }

  /** @param bits of the byte at hand that belong to it */
  #number(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let scale = 1; value < NUMBER_MAX; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new RangeError("a number in a header block is too large");
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new RangeError("a header block ends too soon");
    return byte;
  }
}
