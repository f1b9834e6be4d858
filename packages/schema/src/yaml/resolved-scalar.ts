// Resolves plain YAML scalars like kubernetes-sigs/yaml, which the programs of Kubernetes use: words and octal integers
// of YAML 1.1, octal integers of YAML 1.2, no sexagesimal numbers. Dates remain strings. Source:
// github.com/kubernetes-sigs/yaml, goyaml.v2/resolve.go and goyaml.v2/decode.go.
import { exactInteger } from "../json/exact-json";

export type ScalarTag = "null" | "bool" | "int" | "float" | "str" | "timestamp" | "binary";

export interface ResolvedScalar {
  readonly tag: ScalarTag;
  /** A float may be infinite or not a number. */
  readonly value: null | boolean | number | bigint | string;
}

const WORDS: ReadonlyMap<string, ResolvedScalar> = new Map(
  (
    [
      ["null", null, ["", "~", "null", "Null", "NULL"]],
      ["bool", true, ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"]],
      ["bool", false, ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"]],
      ["float", Number.NaN, [".nan", ".NaN", ".NAN"]],
      ["float", Number.POSITIVE_INFINITY, [".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"]],
      ["float", Number.NEGATIVE_INFINITY, ["-.inf", "-.Inf", "-.INF"]],
    ] as const
  ).flatMap(([tag, value, words]) => words.map((word) => [word, { tag, value }] as const)),
);
const WORD_MAX = 5;
const WORD_START = /^[yYnNtTfFoO~.+-]/;

/** Resolves a scalar. @param text text of a plain scalar, or of a scalar with a tag that requires resolution */
export function resolveScalar(text: string): ResolvedScalar {
  if (text.length <= WORD_MAX && (text === "" || WORD_START.test(text))) {
    const word = WORDS.get(text);
    if (word !== undefined) return word;
  }
  return numberOf(text) ?? { tag: "str", value: text };
}

const ZERO = 0x30;
const NINE = 0x39;

function numberOf(text: string): ResolvedScalar | undefined {
  const first = text.charCodeAt(0);
  if (text.startsWith(".")) return FRACTION.test(text) ? float(text.replaceAll("_", "")) : undefined;
  if ((first < ZERO || first > NINE) && !text.startsWith("+") && !text.startsWith("-")) return undefined;
  const digits = text.replaceAll("_", "");
  return integerOf(digits) ?? (FLOAT.test(digits) ? float(digits) : undefined);
}

/** A number that starts with a point. In it, underscores are allowed only between digits. */
const FRACTION = /^\.\d+(?:_\d+)*(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const FLOAT = /^[+-]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][+-]?\d+)?$/;

/** Returns a float. A number beyond the range of doubles remains a string. */
function float(digits: string): ResolvedScalar | undefined {
  const value = Number(digits);
  return Number.isFinite(value) ? { tag: "float", value } : undefined;
}

const INTEGER = /^([+-]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;
/** Maximum number of digits of a 64-bit integer in any base. */
const DIGITS_MAX = 64;
/** Number of decimal digits that a double always represents exactly. */
const SHORT_MAX = 15;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Returns a signed 64-bit integer, or an unsigned one if the text has no sign. */
function integerOf(digits: string): ResolvedScalar | undefined {
  const found = INTEGER.exec(digits);
  if (found === null) return undefined;
  const [, sign, hexadecimal, binary, octal, decimal] = found;
  if (decimal !== undefined && decimal.length <= SHORT_MAX) return { tag: "int", value: Number(digits) || 0 };
  const size = withoutZeros(hexadecimal ?? binary ?? octal ?? decimal ?? "");
  if (size.length > DIGITS_MAX) return undefined;
  const prefix = hexadecimal !== undefined ? "0x" : binary !== undefined ? "0b" : octal !== undefined ? "0o" : "";
  const value = sign === "-" ? -BigInt(prefix + size) : BigInt(prefix + size);
  if (value < INT64_MIN || value > (sign === "" ? UINT64_MAX : INT64_MAX)) return undefined;
  return { tag: "int", value: exactInteger(String(value)) };
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=.)/, "");

/** Reports whether a text is a date or a timestamp in a form that the tag `!!timestamp` accepts. */
export function isTimestamp(text: string): boolean {
  const found = ZONED_TIME.exec(text) ?? LOCAL_TIME.exec(text) ?? DATE.exec(text);
  if (found === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

const ZONED_TIME = /^(\d{4})-(\d\d?)-(\d\d?)[Tt](\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const LOCAL_TIME = /^(\d{4})-(\d\d?)-(\d\d?) (\d\d?):(\d\d?):(\d\d?)(?:\.\d+)?$/;
const DATE = /^(\d{4})-(\d\d?)-(\d\d?)$/;
