// Header blocks for gRPC: writes the fields of a request without compression, and reads the fields of an answer that
// tell its outcome. No dynamic table is used; the settings tell the peer so. Source: RFC 7541, section 6; gRPC over
// HTTP/2.
import type { AnswerFields } from "../answer-outcome";
import { ProtocolError, REASON } from "./frames";
import { huffmanText } from "./huffman";

const FIELD_NAMES: Readonly<Record<string, keyof AnswerFields>> = {
  ":status": "httpStatus",
  "grpc-status": "grpcStatus",
  "grpc-message": "grpcMessage",
};

/** Indexes in the static table. */
const STATIC = { authority: 1, methodPost: 3, path: 4, schemeHttp: 6, schemeHttps: 7, contentType: 31 } as const;
const STATUS_FIRST = 8;
const STATUSES = ["200", "204", "206", "304", "400", "404", "500"];
const STATIC_LAST = 61;
const NUMBER_MAX = 2 ** 24;

/** Encodes the part of a request's block that all calls of a method share. */
export function requestBlock(of: {
  readonly tls: boolean;
  readonly authority: string;
  readonly method: string;
}): Buffer {
  return Buffer.concat([
    Buffer.from([0x80 | STATIC.methodPost, 0x80 | (of.tls ? STATIC.schemeHttps : STATIC.schemeHttp)]),
    indexedName(STATIC.path, of.method),
    indexedName(STATIC.authority, of.authority),
    indexedName(STATIC.contentType, "application/grpc"),
    fieldBlock("te", "trailers"),
  ]);
}

/** Encodes one more field, to be appended. */
export const fieldBlock = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.from([0]), text(name), text(value)]);

const indexedName = (place: number, value: string): Buffer => Buffer.concat([integer(0, 4, place), text(value)]);

function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  return Buffer.concat([integer(0, 7, bytes.length), bytes]);
}

/** Encodes an integer in the last `bits` of the first byte, and in further bytes if it does not fit. */
function integer(flags: number, bits: number, value: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([flags | value]);
  const bytes = [flags | most];
  let rest = value - most;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** @throws ProtocolError for an invalid header block, or one that uses the dynamic table */
export function readAnswer(block: Buffer): AnswerFields {
  const reader = new BlockReader(block);
  const fields: { -readonly [Name in keyof AnswerFields]: AnswerFields[Name] } = {};
  while (!reader.isOver) {
    const field = reader.field();
    if (field !== undefined) fields[field.name] = field.value;
  }
  return fields;
}

class BlockReader {
  private at = 0;

  constructor(private readonly block: Buffer) {}

  get isOver(): boolean {
    return this.at >= this.block.length;
  }

  /** @returns undefined for a field that does not concern the outcome */
  field(): { readonly name: keyof AnswerFields; readonly value: string } | undefined {
    const first = this.block[this.at] as number;
    if (first >= 0x80) return statusAt(this.integer(7));
    if (first >= 0x40) return this.literal(6);
    if (first < 0x20) return this.literal(4);
    if (this.integer(5) !== 0) throw broken("a dynamic table size that was not negotiated");
    return undefined;
  }

  private literal(bits: number) {
    const place = this.integer(bits);
    if (place > STATIC_LAST) throw broken("an index into a table that does not exist");
    const name = place === 0 ? FIELD_NAMES[this.text()] : isStatus(place) ? "httpStatus" : undefined;
    if (name !== undefined) return { name, value: this.text() };
    this.skipText();
    return undefined;
  }

  private text(): string {
    const isCoded = ((this.block[this.at] ?? 0) & 0x80) !== 0;
    const bytes = this.skipText();
    return isCoded ? huffmanText(bytes) : bytes.toString("latin1");
  }

  private skipText(): Buffer {
    const length = this.integer(7);
    const start = this.at;
    this.at += length;
    if (this.at > this.block.length) throw broken("a string that extends beyond the block");
    return this.block.subarray(start, this.at);
  }

  private integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.byte() & most;
    if (value < most) return value;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (value > NUMBER_MAX) throw broken("an integer that is too large");
      if (byte < 0x80) return value;
    }
  }

  private byte(): number {
    const byte = this.block[this.at];
    if (byte === undefined) throw broken("a truncated field");
    this.at += 1;
    return byte;
  }
}

const isStatus = (place: number): boolean => place >= STATUS_FIRST && place < STATUS_FIRST + STATUSES.length;

function statusAt(place: number): { readonly name: "httpStatus"; readonly value: string } | undefined {
  if (place === 0 || place > STATIC_LAST) throw broken("an index into a table that does not exist");
  const value = STATUSES[place - STATUS_FIRST];
  return value === undefined ? undefined : { name: "httpStatus", value };
}

const broken = (what: string) => new ProtocolError(`a header block with ${what}`, REASON.compression);
