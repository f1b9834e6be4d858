// Evaluates `"%s of %d".format([…])`. Source: github.com/google/cel-go, ext/formatting.go.

import { CelList, CelMap, type CelValue, Duration, Timestamp, TypeValue, typeNameOf, Uint } from "../values/cel-value";
import type { Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { durationSeconds, timestampText } from "../values/time-value";

const CLAUSE = /%(?:(%)|(?:\.(\d{1,3}))?([A-Za-z]))?/g;
const PRECISION_MAX = 100;
const DEFAULT_PRECISION = 6;
const CHARACTERS_A_STEP = 16;

export function formatted(pattern: string, args: CelList, steps: Steps): string {
  let next = 0;
  return pattern.replace(
    CLAUSE,
    (whole, percent: string | undefined, precision: string | undefined, verb: string | undefined) => {
      if (percent !== undefined) return "%";
      if (verb === undefined) return fail(`could not parse formatting clause: "${whole}"`);
      if (next >= args.size) return fail(`index ${next} out of range`);
      const value = args.at(next);
      next += 1;
      const places = precision === undefined ? DEFAULT_PRECISION : Number(precision);
      if (places > PRECISION_MAX) fail(`could not parse formatting clause: precision ${places} is too large`);
      const text = clause(verb, { value, places, steps });
      steps.step(1 + text.length / CHARACTERS_A_STEP);
      return text;
    },
  );
}

function clause(verb: string, { value, places, steps }: { value: CelValue; places: number; steps: Steps }): string {
  const wrong = (what: string): never => fail(`error during formatting: ${what}, was given ${typeNameOf(value)}`);
  switch (verb) {
    case "s":
      return shown(value, steps);
    case "d":
      if (typeof value === "number") return Number.isFinite(value) ? plainDouble(value) : special(value);
      return String(integer(value) ?? wrong("decimal clause can only be used on integers"));
    case "f":
      return decimal(value, wrong, (number) => fixed(number, places));
    case "e":
      return decimal(value, wrong, (number) => number.toExponential(places).replace(/e([+-])(\d)$/, "e$10$2"));
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return (integer(value) ?? wrong("only integers and bools can be formatted as binary")).toString(2);
    case "o":
      return (integer(value) ?? wrong("octal clause can only be used on integers")).toString(8);
    case "x":
      return hex(value, wrong);
    case "X":
      return hex(value, wrong).toUpperCase();
    default:
      return fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

const integer = (value: CelValue): bigint | undefined =>
  typeof value === "bigint" ? value : value instanceof Uint ? value.value : undefined;

function hex(value: CelValue, wrong: (what: string) => never): string {
  if (typeof value === "string" || value instanceof Uint8Array) return Buffer.from(value as string).toString("hex");
  return (integer(value) ?? wrong("only integers, byte buffers, and strings can be formatted as hex")).toString(16);
}

function decimal(value: CelValue, wrong: (what: string) => never, write: (value: number) => string): string {
  const number = typeof value === "number" ? value : integer(value);
  if (number === undefined) return wrong("the clause can only be used on numbers");
  const double = Number(number);
  return Number.isFinite(double) ? write(double) : special(double);
}

const special = (value: number): string => (Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
const plainDouble = (value: number): string => (Number.isFinite(value) ? String(value) : special(value));

/** Formats with a fixed number of decimals. Rounds ties to even when there are no decimals. */
function fixed(value: number, places: number): string {
  if (Math.abs(value) >= 1e21) return BigInt(value).toString() + (places > 0 ? `.${"0".repeat(places)}` : "");
  const text = value.toFixed(places);
  const scaled = value * 10 ** places;
  const isTie =
    Math.abs(scaled) < 2 ** 51 && Math.abs(scaled % 1) === 0.5 && scaled / 10 ** places === value && places === 0;
  if (!isTie) return text;
  const below = Math.floor(scaled);
  return String(below % 2 === 0 ? below : below + 1);
}

function shown(value: CelValue, steps: Steps): string {
  steps.step(1);
  if (typeof value === "string") return value;
  if (typeof value === "number") return plainDouble(value);
  if (value === null || typeof value !== "object") return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationSeconds(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof CelList) {
    const parts: string[] = [];
    for (let index = 0; index < value.size; index += 1) {
      const part = shown(value.at(index), steps);
      steps.step(1 + part.length / CHARACTERS_A_STEP);
      parts.push(part);
    }
    return `[${parts.join(", ")}]`;
  }
  if (value instanceof CelMap) {
    const parts: [string, string][] = [];
    for (const key of value.keys()) {
      const part = shown(value.get(key) as CelValue, steps);
      steps.step(4 + part.length / CHARACTERS_A_STEP);
      parts.push([shown(key, steps), part]);
    }
    const sorted = parts.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${sorted.map(([key, part]) => `${key}: ${part}`).join(", ")}}`;
  }
  return fail(
    `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
  );
}
