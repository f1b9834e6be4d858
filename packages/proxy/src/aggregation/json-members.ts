// Locates the members of a JSON object in its bytes without parsing the whole document. Only the structure that is
// needed is read; the user of a member parses it and finds its errors.

/** Maximum size of a value that is read in one go. Larger objects are read member by member. */
const VALUE_MAX_BYTES = 1024 * 1024;

export class Member {
  private knownEnd: number | undefined;

  constructor(
    private readonly bytes: Buffer,
    readonly name: string,
    /** Offset of the first byte of the value. */
    readonly start: number,
  ) {}

  /** Offset after the last byte of the value. @throws Error when the value does not end or is too large */
  get end(): number {
    this.knownEnd ??= afterValue(this.bytes, this.start);
    return this.knownEnd;
  }

  /** Sets the end of the value, when its members were read. */
  endsAt(end: number): void {
    this.knownEnd = end;
  }

  get value(): Buffer {
    return this.bytes.subarray(this.start, this.end);
  }
}

/**
 * Yields one member per step. Returns the offset of the closing brace of the object.
 * @param at offset of the object, or of white space before it
 * @throws Error when it is not an object or does not end
 */
export function* membersOf(bytes: Buffer, at = 0): Generator<Member, number> {
  let place = afterSpace(bytes, at);
  expectByte(bytes, place, OPEN_BRACE);
  place = afterSpace(bytes, place + 1);
  if (bytes[place] === CLOSE_BRACE) return place;
  for (;;) {
    expectByte(bytes, place, QUOTE);
    const nameEnd = afterString(bytes, place);
    const name: unknown = JSON.parse(bytes.toString("utf8", place, nameEnd));
    place = afterSpace(bytes, nameEnd);
    expectByte(bytes, place, COLON);
    const member = new Member(bytes, String(name), afterSpace(bytes, place + 1));
    yield member;
    place = afterSpace(bytes, member.end);
    if (bytes[place] === CLOSE_BRACE) return place;
    expectByte(bytes, place, COMMA);
    place = afterSpace(bytes, place + 1);
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function expectByte(bytes: Buffer, at: number, byte: number): void {
  if (bytes[at] !== byte) throw new Error(`expected ${JSON.stringify(String.fromCharCode(byte))} at byte ${at}`);
}

function afterSpace(bytes: Buffer, at: number): number {
  let place = at;
  const last = at + VALUE_MAX_BYTES;
  for (let byte = bytes[place]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[place]) {
    place += 1;
    if (place > last) throw tooLarge(at);
  }
  return place;
}

/** @param at offset of the first quote */
function afterString(bytes: Buffer, at: number): number {
  const last = Math.min(bytes.length, at + VALUE_MAX_BYTES);
  for (let place = at + 1; place < last; place += 1) {
    const byte = bytes[place];
    if (byte === QUOTE) return place + 1;
    if (byte === BACKSLASH) place += 1;
  }
  if (last < bytes.length) throw tooLarge(at);
  throw new Error("a string is not terminated");
}

function afterValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return afterString(bytes, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return afterScalar(bytes, at);
  let depth = 0;
  const last = Math.min(bytes.length, at + VALUE_MAX_BYTES);
  for (let place = at; place < last; ) {
    switch (bytes[place]) {
      case QUOTE:
        place = afterString(bytes, place);
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
    }
    place += 1;
    if (depth === 0) return place;
  }
  if (last < bytes.length) throw tooLarge(at);
  throw new Error("a value is not terminated");
}

const tooLarge = (at: number): Error => new Error(`the value at byte ${at} has more than ${VALUE_MAX_BYTES} bytes`);

function afterScalar(bytes: Buffer, at: number): number {
  let place = at;
  for (let byte = bytes[place]; byte !== undefined && byte !== COMMA && byte > 0x20; byte = bytes[place]) {
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) break;
    place += 1;
    if (place - at > VALUE_MAX_BYTES) throw tooLarge(at);
  }
  if (place === at) throw new Error(`expected a value at byte ${at}`);
  return place;
}
