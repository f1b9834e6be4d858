// Parses the text of a flag's value according to its type.

import { parseGoDuration } from "../values/go-duration";
import { familyOf } from "../values/ip-address";
import type { FlagRow, FlagValues } from "./flag-table";

const TRUE_WORDS = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE_WORDS = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/**
 * Parses a value.
 * @param earlier the value from an earlier use on the same command line; undefined on the first
 * @throws Error that describes the invalid text
 */
export function readFlagValue(row: FlagRow, text: string, earlier: unknown): FlagValues[keyof FlagValues] {
  if (row.oneOf !== undefined && text !== "") {
    const given = row.type === "strings" ? commaList(text) : [text];
    const odd = given.find((value) => !row.oneOf?.includes(value));
    if (odd !== undefined) throw new Error(`${JSON.stringify(odd)} is not one of ${row.oneOf.join(", ")}`);
  }
  switch (row.type) {
    case "bool":
      return readBool(text);
    case "duration":
      return inBounds(row, text, readNumber(parseGoDuration(text), text, "a duration such as 1h2m3s or 300ms"));
    case "float":
      return inBounds(
        row,
        text,
        readNumber(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined, text, "a number"),
      );
    case "int":
      return inBounds(row, text, readNumber(/^[+-]?\d+$/.test(text) ? Number(text) : undefined, text, "an integer"));
    case "ip":
      if (text !== "" && familyOf(text) === undefined) throw new Error(`${JSON.stringify(text)} is not an IP address`);
      return text;
    case "mapStringBool":
      return { ...(earlier as object | undefined), ...readPairs(text, (value) => readBool(value)) };
    case "mapStringString":
      return { ...(earlier as object | undefined), ...readPairs(text, (value) => value) };
    case "string":
      return text;
    case "stringArray":
      return [...((earlier as readonly string[] | undefined) ?? []), ...(text === "" ? [] : [text])];
    case "strings":
      return [...((earlier as readonly string[] | undefined) ?? []), ...commaList(text)];
  }
}

function readBool(text: string): boolean {
  if (TRUE_WORDS.has(text)) return true;
  if (FALSE_WORDS.has(text)) return false;
  throw new Error(`${JSON.stringify(text)} is neither true nor false`);
}

function readNumber(value: number | undefined, text: string, wanted: string): number {
  if (value === undefined || !Number.isFinite(value)) throw new Error(`${JSON.stringify(text)} is not ${wanted}`);
  return value;
}

function inBounds(row: FlagRow, text: string, value: number): number {
  const rule = brokenBound(row, value);
  if (rule !== undefined) throw new Error(`${JSON.stringify(text)} ${rule}`);
  return value;
}

/** Returns the bound of a flag that a number is beyond; undefined where it keeps both. */
export function brokenBound(
  { type, min, max }: Pick<FlagRow, "type" | "min" | "max">,
  value: number,
): string | undefined {
  const unit = type === "duration" ? "ms" : "";
  if (min !== undefined && value < min) return `must not be less than ${min}${unit}`;
  if (max !== undefined && value > max) return `must not be more than ${max}${unit}`;
  return undefined;
}

function readPairs<Value>(text: string, read: (value: string) => Value): Record<string, Value> {
  const pairs: Record<string, Value> = {};
  for (const pair of commaList(text)) {
    const equals = pair.indexOf("=");
    const key = (equals < 0 ? pair : pair.slice(0, equals)).trim();
    if (key === "") throw new Error(`${JSON.stringify(pair)} has no name before the "="`);
    try {
      pairs[key] = read(equals < 0 ? "" : pair.slice(equals + 1).trim());
    } catch (error) {
      throw new Error(`${key}: ${(error as Error).message}`);
    }
  }
  return pairs;
}

/** Splits a comma-separated list. A value in double quotes may contain commas, and doubled quotes for a quote. */
function commaList(text: string): string[] {
  if (text === "") return [];
  const values: string[] = [];
  const value = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y;
  while (value.lastIndex <= text.length) {
    const found = value.exec(text);
    if (found === null) throw new Error(`the quotes in ${JSON.stringify(text)} do not end before a comma`);
    values.push(found[1] === undefined ? (found[2] ?? "") : found[1].replaceAll('""', '"'));
    if (found[3] === "") break;
  }
  return values;
}
