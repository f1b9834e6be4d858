// Finds members in the JSON bytes of an object, without parsing the rest.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;

/**
 * Returns the text of a metadata member's value.
 * @param json compact JSON as this package stores it
 * @param at the position after the `{` of the metadata object
 * @param name plain ASCII
 * @returns undefined when there is no such member
 */
export function metadataMember(json: Buffer, at: number, name: string): string | undefined {
  const value = valueStart(json, at, name);
  return value < 0 ? undefined : json.toString("utf8", value, endOfValue(json, value));
}

/** Returns the items of a metadata member that is a list, each as a part of the bytes. See `metadataMember`. */
export function metadataItems(json: Buffer, at: number, name: string): readonly Buffer[] {
  const position = valueStart(json, at, name);
  return position < 0 || json[position] !== OPEN_BRACKET ? [] : [...itemsOf(json, position)];
}

/**
 * Returns the scalar at the end of a path of members.
 * @param path plain ASCII
 * @returns JSON of a string, number or boolean; "" when there is none of these; undefined when the JSON is not compact
 * and must be parsed
 */
export function scalarAt(json: Buffer, path: readonly string[]): string | undefined {
  let at = 0;
  for (const name of path) {
    if (json[at] !== OPEN_BRACE) return noScalar(json, at);
    at = valueStart(json, at + 1, name);
    if (at < 0) return at === ABSENT ? "" : undefined;
  }
  switch (json[at]) {
    case OPEN_BRACE:
    case OPEN_BRACKET:
      return "";
    case QUOTE:
      return json.toString("utf8", at, endOfString(json, at));
    default:
      return (json[at] as number) <= SPACE ? undefined : json.toString("latin1", at, endOfValue(json, at));
  }
}

/**
 * Returns the bytes from the start of a member's value, so that several lookups in the value skip what precedes it.
 * @param name plain ASCII
 * @returns undefined when there is no such member, or the JSON is not compact
 */
export function fromMember(json: Buffer, name: string): Buffer | undefined {
  const at = json[0] === OPEN_BRACE ? valueStart(json, 1, name) : ABSENT;
  return at < 0 ? undefined : json.subarray(at);
}

/**
 * Returns the items of the list at the end of a path of members, each as a part of the bytes, found one by one.
 * @param path plain ASCII
 * @returns undefined when the JSON is not compact and must be parsed
 */
export function itemsAt(json: Buffer, path: readonly string[]): Iterable<Buffer> | undefined {
  let at = 0;
  for (const name of path) {
    if (json[at] !== OPEN_BRACE) return noScalar(json, at) === undefined ? undefined : [];
    at = valueStart(json, at + 1, name);
    if (at < 0) return at === ABSENT ? [] : undefined;
  }
  return json[at] === OPEN_BRACKET ? itemsOf(json, at) : [];
}

function* itemsOf(json: Buffer, list: number): Generator<Buffer> {
  let position = list;
  do {
    const start = position + 1;
    if (json[start] === CLOSE_BRACKET) return;
    position = endOfValue(json, start);
    yield json.subarray(start, position);
  } while (json[position] === COMMA);
}

function noScalar(json: Buffer, at: number): "" | undefined {
  return (json[at] as number) <= SPACE ? undefined : "";
}

/**
 * Returns the whole metadata object, `{…}`, as a part of the bytes.
 * @param at the position after its `{`
 */
export function metadataBytes(json: Buffer, at: number): Buffer {
  return json.subarray(at - 1, endOfValue(json, at - 1));
}

const ABSENT = -1;
const NOT_COMPACT = -2;

/**
 * @param start the position after the `{` of an object. @returns the start of the member's value, ABSENT or NOT_COMPACT
 */
function valueStart(json: Buffer, start: number, name: string): number {
  let position = start;
  while (json[position] === QUOTE) {
    const keyEnd = endOfString(json, position);
    if (json[keyEnd] !== COLON) return NOT_COMPACT;
    if (isName(json, position + 1, keyEnd - 1, name)) return keyEnd + 1;
    position = endOfValue(json, keyEnd + 1);
    if (json[position] !== COMMA) break;
    position += 1;
  }
  return json[position] === CLOSE_BRACE ? ABSENT : NOT_COMPACT;
}

function isName(json: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (json[start + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** @returns the position after the closing quote */
export function endOfString(json: Buffer, start: number): number {
  let position = start + 1;
  while (position < json.length && json[position] !== QUOTE) position += json[position] === BACKSLASH ? 2 : 1;
  return position + 1;
}

/** @returns the position after the value */
export const endOfValue = (json: Buffer, start: number): number => endOfRest(json, start, 0);

/**
 * Returns the position after a value of which a part was read.
 * @param start a position between two members or items
 * @param open number of objects and lists that have begun before it
 */
export function endOfRest(json: Buffer, start: number, open: number): number {
  let depth = open;
  let position = start;
  while (position < json.length) {
    const byte = json[position];
    if (byte === QUOTE) {
      position = endOfString(json, position);
      if (depth === 0) return position;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) return position;
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (byte === COMMA && depth === 0) return position;
    position += 1;
  }
  return position;
}
