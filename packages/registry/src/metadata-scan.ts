// Finds one member of an object's metadata in its JSON bytes, without parsing the rest.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/**
 * The text of a member's value.
 * @param json compact JSON, as this package stores it
 * @param at just behind the `{` of the metadata object
 * @param name plain ASCII
 * @returns undefined when there is no such member
 */
export function metadataMember(json: Buffer, at: number, name: string): string | undefined {
  let position = at;
  while (json[position] === QUOTE) {
    const keyEnd = endOfString(json, position);
    const valueStart = keyEnd + 1;
    const valueEnd = endOfValue(json, valueStart);
    if (isName(json, position + 1, keyEnd - 1, name)) return json.toString("utf8", valueStart, valueEnd);
    if (json[valueEnd] !== COMMA) return undefined;
    position = valueEnd + 1;
  }
  return undefined;
}

/**
 * The whole metadata object, `{…}`, as a part of the bytes.
 * @param at just behind its `{`
 */
export function metadataBytes(json: Buffer, at: number): Buffer {
  return json.subarray(at - 1, endOfValue(json, at - 1));
}

function isName(json: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (json[start + i] !== name.charCodeAt(i)) return false;
  return true;
}

/** @returns the position behind the closing quote */
function endOfString(json: Buffer, start: number): number {
  let position = start + 1;
  while (position < json.length && json[position] !== QUOTE) position += json[position] === BACKSLASH ? 2 : 1;
  return position + 1;
}

function endOfValue(json: Buffer, start: number): number {
  let depth = 0;
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
