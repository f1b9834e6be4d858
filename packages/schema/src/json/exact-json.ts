// JSON with exact integers. A JavaScript number is used when JSON.stringify writes it unchanged; other 64-bit integers
// are bigints. An integer of more bits becomes the nearest double, as in kube-apiserver; this holds for JSON, YAML and
// patches alike. A value that is written and read again is unchanged. Parsing is as fast as JSON.parse unless a number
// is beyond 2^53, which is rare.

import { jsonErrorAt } from "./json-error";
import { type JsonArray, type JsonObject, type JsonValue, setMember } from "./json-value";
import { mayBreakCharacters, withWholeCharacters } from "./lone-surrogates";

/** Maximum nesting of objects and arrays, within the stack of every recursive walk. */
export const DEPTH_MAX = 1_000;

/**
 * Reading of a number such as 80.0 or 8e1, which is an integer written as a fraction. number: as 80. marked:
 * distinguishable from 80 by `isWrittenAsFraction`, for decoders that accept only integers written as such.
 */
export type FractionReading = "number" | "marked";

/**
 * Parses JSON. Strings contain only whole characters: see lone-surrogates.ts.
 * @throws SyntaxError for invalid JSON, JsonError for nesting that is too deep or a number beyond the range of doubles
 */
export function readJson(text: string, fractions: FractionReading = "number"): JsonValue {
  const parsed = JSON.parse(text) as JsonValue;
  const marks = fractions === "marked" && FRACTION.test(text) && FRACTION_VALUE.test(text);
  const value = marks || isLarge(parsed, text, 0) ? new ExactReader(text, marks).value() : parsed;
  return mayBreakCharacters(text) ? withWholeCharacters(value) : value;
}

/**
 * Fast tests for numbers with a fraction or an exponent. They may also match inside a string, which only selects the
 * slower parser. Most texts do not match the first one.
 */
const FRACTION = /\d(?:\.\d+|[eE][-+]?\d+)(?:[eE][-+]?\d+)?[\s,\]}]/;
const FRACTION_VALUE = /[[:,]\s*-?\d+(?:\.\d+(?:[eE][-+]?\d+)?|[eE][-+]?\d+)\s*[,\]}]/;

/**
 * Reports whether a marked value is an integer written with a fraction or an exponent. The mark is a bigint within the
 * range that is otherwise read as a number.
 */
export const isWrittenAsFraction = (value: JsonValue): value is bigint =>
  typeof value === "bigint" && typeof exactInteger(String(value)) === "number";

/** Writes JSON, also of values with bigints. @param step white space of each indentation level; absent: one line */
export function writeJson(value: JsonValue, step?: string): string {
  try {
    return JSON.stringify(value, undefined, step);
  } catch (error) {
    // JSON.stringify rejects only bigints.
    if (!(error instanceof TypeError)) throw error;
    return written(value, step ? "\n" : undefined, step ?? "");
  }
}

/** Returns the integer of a text: a number if its text is the same or beyond 64 bits, otherwise a bigint. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  if (Number.isSafeInteger(number) || Math.abs(number) > 2 ** 63 || String(number) === digits) return number;
  const exact = BigInt(digits);
  return fits(exact) ? exact : number;
}

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Reports whether a value is a signed 64-bit integer. */
export function isInt64(value: JsonValue): value is number | bigint {
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return true;
    return Number.isInteger(value) && Math.abs(value) <= 2 ** 63 && fits(BigInt(String(value)));
  }
  return typeof value === "bigint" && fits(value);
}

/** Returns a JSON integer as a bigint. */
export const bigIntOf = (value: number | bigint): bigint => BigInt(typeof value === "bigint" ? value : String(value));

/** Returns the next integer; the largest 64-bit integer is unchanged. */
export function nextInteger(value: number | bigint): number | bigint {
  if (typeof value === "number" && value < Number.MAX_SAFE_INTEGER) return value + 1;
  const next = bigIntOf(value) + 1n;
  return exactInteger(String(fits(next) ? next : INT64_MAX));
}

const fits = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

/** Reports whether a number in the value may have lost digits. */
function isLarge(value: JsonValue, text: string, depth: number): boolean {
  if (typeof value === "number") return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  if (depth === DEPTH_MAX) throw tooDeep(text, 0);
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== "string" && isLarge(item, text, depth + 1)) return true;
    return false;
  }
  // Objects made by JSON.parse inherit no enumerable members.
  for (const key in value) {
    const member = value[key] as JsonValue;
    if (typeof member !== "string" && isLarge(member, text, depth + 1)) return true;
  }
  return false;
}

const tooDeep = (text: string, at: number) => jsonErrorAt("depth", `nested deeper than ${DEPTH_MAX} levels`, text, at);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

const LITERAL = /[^\s,\]}]+/y;
const INTEGER = /^-?\d+$/;
const IN_FRACTION = /^-?\d+[.eE]/;
/** Maximum number of integer digits of a double. */
const DIGITS_MAX = 309;

/**
 * Parses a number with all integer digits, a boolean or null.
 * @param outOfRange creates the error for a number beyond the range of doubles
 */
export function literalValue(literal: string, outOfRange: (message: string) => Error): JsonValue {
  const value = JSON.parse(literal) as JsonValue;
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value)) {
    const shown = literal.length > DIGITS_MAX ? `a number of ${literal.length} digits` : literal;
    throw outOfRange(`${shown} is beyond all numbers that are kept`);
  }
  return INTEGER.test(literal) ? exactInteger(literal) : value;
}

/** Parses a text that JSON.parse has already accepted. */
class ExactReader {
  private readonly text: string;
  private at = 0;
  private depth = 0;
  private readonly marksFractions: boolean;

  constructor(text: string, marksFractions: boolean) {
    this.text = text;
    this.marksFractions = marksFractions;
  }

  value(): JsonValue {
    switch (this.skipBlanks()) {
      case OPEN_OBJECT:
        return this.inside(() => this.object());
      case OPEN_LIST:
        return this.inside(() => this.list());
      case QUOTE:
        return this.string();
      default:
        return this.literal();
    }
  }

  private inside<Value>(read: () => Value): Value {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw tooDeep(this.text, this.at);
    const value = read();
    this.depth -= 1;
    return value;
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    this.at += 1;
    if (this.skipBlanks() === CLOSE_OBJECT) {
      this.at += 1;
      return object;
    }
    for (;;) {
      this.skipBlanks();
      const key = this.string();
      this.pass(COLON);
      setMember(object, key, this.value());
      if (!this.pass(COMMA)) return object;
    }
  }

  private list(): JsonArray {
    const list: JsonArray = [];
    this.at += 1;
    if (this.skipBlanks() === CLOSE_LIST) {
      this.at += 1;
      return list;
    }
    for (;;) {
      list.push(this.value());
      if (!this.pass(COMMA)) return list;
    }
  }

  /** Skips the next punctuation mark. @returns whether it is this one */
  private pass(mark: number): boolean {
    const found = this.skipBlanks();
    this.at += 1;
    return found === mark;
  }

  private string(): string {
    const start = this.at;
    let end = this.text.indexOf('"', start + 1);
    if (this.text.charCodeAt(end - 1) !== BACKSLASH) {
      this.at = end + 1;
      const inner = this.text.slice(start + 1, end);
      return inner.includes("\\") ? (JSON.parse(`"${inner}"`) as string) : inner;
    }
    for (end = start + 1; this.text.charCodeAt(end) !== QUOTE; end += 1) {
      if (this.text.charCodeAt(end) === BACKSLASH) end += 1;
    }
    this.at = end + 1;
    return JSON.parse(this.text.slice(start, this.at)) as string;
  }

  private literal(): JsonValue {
    const start = this.at;
    LITERAL.lastIndex = start;
    LITERAL.test(this.text);
    this.at = LITERAL.lastIndex;
    const literal = this.text.slice(start, this.at);
    if (this.marksFractions && IN_FRACTION.test(literal)) {
      const number = Number(literal);
      if (Number.isInteger(number) && Math.abs(number) <= 2 ** 63) return BigInt(number);
    }
    return literalValue(literal, (message) => jsonErrorAt("range", message, this.text, start));
  }

  private skipBlanks(): number {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at += 1;
    }
  }
}

/** Writes a value. @param line start of a new line; undefined for a single line */
function written(value: JsonValue, line: string | undefined, step: string): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = line === undefined ? undefined : line + step;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(written(item, inner, step));
    return joined(parts, "[]", line, inner);
  }
  const colon = line === undefined ? ":" : ": ";
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) parts.push(`${JSON.stringify(key)}${colon}${written(member, inner, step)}`);
  }
  return joined(parts, "{}", line, inner);
}

function joined(
  parts: readonly string[],
  marks: "[]" | "{}",
  line: string | undefined,
  inner: string | undefined,
): string {
  if (parts.length === 0) return marks;
  if (line === undefined) return `${marks[0]}${parts.join(",")}${marks[1]}`;
  return `${marks[0]}${inner}${parts.join(`,${inner}`)}${line}${marks[1]}`;
}
