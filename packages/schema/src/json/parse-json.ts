// JSON parser: as fast as JSON.parse for valid texts, with exact error positions for others.
import type { DecodeProblem } from "./decode-problem";
import { DEPTH_MAX, type FractionReading, readJson } from "./exact-json";
import { JsonError, jsonErrorAt } from "./json-error";
import { endOfString, scanJson } from "./json-scanner";
import type { JsonValue } from "./json-value";

export interface ParseJsonOptions {
  /** Whether to report duplicate keys; the last one counts in any case. Default: "ignore". */
  readonly duplicates?: "ignore" | "collect";
  /** Maximum nesting. Default: 1,000, within the stack of every recursive walk. */
  readonly maxDepth?: number;
  /** Default: "number". */
  readonly fractions?: FractionReading;
}

export interface ParsedJson {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

const NO_PROBLEMS: readonly DecodeProblem[] = [];

/**
 * Parses a text. A key `__proto__` is an ordinary member: see json-value.ts.
 * @param input UTF-8 bytes, or text
 * @throws JsonError
 */
export function parseJson(input: string | Uint8Array, options: ParseJsonOptions = {}): ParsedJson {
  const text = typeof input === "string" ? input : utf8(input);
  const maxDepth = options.maxDepth ?? DEPTH_MAX;
  const value = parseValue(text, maxDepth, options.fractions);
  const wantsDuplicates = options.duplicates === "collect";
  // Each level takes two characters, so most texts are too short to be nested too deep.
  const members = wantsDuplicates || text.length > 2 * maxDepth ? countMembers(text, maxDepth) : 0;
  let problems = NO_PROBLEMS;
  if (wantsDuplicates && members !== countKept(value)) {
    problems = scanJson(text, maxDepth).problems;
  }
  return { value, problems };
}

function utf8(bytes: Uint8Array): string {
  return Buffer.isBuffer(bytes)
    ? bytes.toString("utf8")
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function parseValue(text: string, maxDepth: number, fractions: FractionReading | undefined): JsonValue {
  try {
    return readJson(text, fractions);
  } catch (error) {
    if (error instanceof JsonError && error.reason === "range") throw error;
    throw (
      scanJson(text, maxDepth).error ??
      jsonErrorAt("syntax", error instanceof Error ? error.message : String(error), text, 0)
    );
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Counts the members of all objects in a valid text. @throws JsonError when it is nested too deep */
function countMembers(text: string, maxDepth: number): number {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        members++;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (++depth > maxDepth) throw jsonErrorAt("depth", `nested deeper than ${maxDepth} levels`, text, at);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth--;
        break;
    }
  }
  return members;
}

/** Counts the members of a parsed value. */
function countKept(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") members += countKept(item);
    return members;
  }
  for (const key of Object.keys(value)) {
    const item = value[key] as JsonValue;
    members += typeof item === "object" ? 1 + countKept(item) : 1;
  }
  return members;
}
