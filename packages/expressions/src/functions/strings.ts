// String functions, with indexes in code points. Source: github.com/google/cel-go, ext/strings.go.
import {
  add,
  CHARACTER,
  CONSTANT,
  CONTAINS,
  type CostModel,
  multiply,
  range,
  reads,
  scale,
  sizeOf,
} from "../cost/cost-model";
import { type Extent, UNBOUNDED } from "../cost/extent";
import { ArrayList, type CelList, type CelValue } from "../values/cel-value";
import { offsetOf, pointsBefore } from "../values/code-points";
import type { Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { fn, method, type Overload, parsing } from "./overload";
import { formatted } from "./string-format";

const READS = reads(0);
const READS_ARG: CostModel = { ...reads(1), size: () => range(1) };
const SEARCHES: CostModel = { ...CONTAINS, size: () => range(1) };
const CHARACTERS_A_STEP = 16;
const ASCII_UPPER = /[A-Z]+/g;
const ASCII_LOWER = /[a-z]+/g;
/** White space as defined by Go's unicode.IsSpace. */
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const LEADING = new RegExp(`^${SPACE}+`);
const IS_SPACE = new RegExp(SPACE);

const at = (text: string, points: bigint, what = "index"): number =>
  (points >= 0n && points <= text.length ? offsetOf(text, Number(points)) : undefined) ??
  fail(`${what} out of range: ${points}`);

function charAt(text: string, index: bigint): string {
  const code = text.codePointAt(at(text, index));
  return code === undefined ? "" : String.fromCodePoint(code);
}

function indexOf(text: string, part: string, from: bigint = 0n): bigint {
  const found = text.indexOf(part, at(text, from));
  return BigInt(found < 0 ? -1 : pointsBefore(text, found));
}

function lastIndexOf(text: string, part: string, until?: bigint): bigint {
  const found = until === undefined ? text.lastIndexOf(part) : text.lastIndexOf(part, at(text, until));
  return BigInt(found < 0 ? -1 : pointsBefore(text, found));
}

function substring(text: string, from: bigint, to?: bigint): string {
  const start = at(text, from);
  const end = to === undefined ? text.length : at(text, to);
  return start <= end ? text.slice(start, end) : fail(`invalid substring range. start: ${from}, end: ${to}`);
}

/**
 * Trims white space. The end is trimmed by a loop, because a pattern for trailing space restarts at each space and
 * takes quadratic time.
 */
function trim(text: string): string {
  let end = text.length;
  while (end > 0 && IS_SPACE.test(text[end - 1] as string)) end -= 1;
  return text.slice(0, end).replace(LEADING, "");
}

function replace(text: string, { from, to, times }: { from: string; to: string; times: bigint }, steps: Steps): string {
  const most = times < 0n ? text.length + 1 : Number(times < 2n ** 31n ? times : 2n ** 31n);
  if (most === 0) return text;
  if (from === "") {
    const points = Array.from(text);
    steps.step(points.length + (Math.min(most, points.length + 1) * to.length) / CHARACTERS_A_STEP);
    const parts = points.map((point, index) => (index < most ? to + point : point));
    return parts.join("") + (points.length < most ? to : "");
  }
  const parts = splitAt(text, from, most + 1, steps);
  steps.step(parts.length + (2 * parts.length * to.length) / CHARACTERS_A_STEP);
  return parts.join(to);
}

function splitAt(text: string, separator: string, parts: number, steps: Steps): string[] {
  if (parts === 0) return [];
  if (separator === "") {
    const points = Array.from(text);
    steps.step(points.length);
    return points.length <= parts ? points : [...points.slice(0, parts - 1), points.slice(parts - 1).join("")];
  }
  const found: string[] = [];
  let start = 0;
  while (found.length < parts - 1) {
    const next = text.indexOf(separator, start);
    if (next < 0) break;
    steps.step(2);
    found.push(text.slice(start, next));
    start = next + separator.length;
  }
  found.push(text.slice(start));
  return found;
}

const split = (text: string, separator: string, most: bigint, steps: Steps): CelList => {
  const parts = most < 0n || most > text.length ? text.length + 1 : Number(most);
  return new ArrayList(splitAt(text, separator, parts, steps));
};

function join(list: CelList, separator: string, steps: Steps): string {
  const parts: string[] = [];
  for (let index = 0; index < list.size; index += 1) {
    const part = list.at(index);
    if (typeof part !== "string") return fail("no such overload");
    steps.step(1 + (part.length + separator.length) / CHARACTERS_A_STEP);
    parts.push(part);
  }
  return parts.join(separator);
}

const QUOTED: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};
const quote = (text: string): string =>
  `"${text.replace(/[\ud800-\udfff]/gu, "\ufffd").replace(/[\p{Cc}\\"]/gu, (character) => QUOTED[character] ?? character)}"`;

const READS_PAIR: CostModel = {
  ...CONSTANT,
  run: (a, b) => Math.ceil((sizeOf(a as CelValue) + sizeOf(b as CelValue)) * CHARACTER),
  estimate: (a = range(0), b = range(0)) => scale(add(a, b), CHARACTER),
};
/** Costs of joining strings: the length of the parts is not known, so the size is unbounded. */
const JOINS: CostModel = {
  ...READS_PAIR,
  estimate: (list: Extent = range(0), separator = range(0)) => {
    const items = list.max === 0 ? range(0) : multiply({ min: 0, max: list.max }, list.item ?? UNBOUNDED);
    const between = multiply({ min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }, separator);
    return scale(add(items, between), CHARACTER);
  },
  size: (list = range(0)) => range(0, list.max === 0 ? 0 : Number.POSITIVE_INFINITY),
};
const REPLACES: CostModel = {
  ...reads(0, 2),
  size: (text = range(0), _from = range(0), to = range(0)) => range(0, text.max + (text.max + 1) * to.max),
};
const STEP: (text: string, steps: Steps) => void = (text, steps) => steps.step(1 + text.length / CHARACTERS_A_STEP);

export const STRINGS: readonly Overload[] = [
  method("string.contains(string): bool", CONTAINS, (text: string, part: string, steps: Steps) => {
    STEP(text, steps);
    return text.includes(part);
  }),
  method("string.startsWith(string): bool", READS_ARG, (text: string, part: string) => text.startsWith(part)),
  method("string.endsWith(string): bool", READS_ARG, (text: string, part: string) => text.endsWith(part)),
  method("string.charAt(int): string", CONSTANT, parsing(10, charAt)),
  method("string.indexOf(string): int", SEARCHES, (text: string, part: string) => indexOf(text, part)),
  method("string.indexOf(string, int): int", SEARCHES, (text: string, part: string, from: bigint) =>
    indexOf(text, part, from),
  ),
  method("string.lastIndexOf(string): int", SEARCHES, (text: string, part: string) => lastIndexOf(text, part)),
  method("string.lastIndexOf(string, int): int", SEARCHES, (text: string, part: string, until: bigint) =>
    lastIndexOf(text, part, until),
  ),
  method("string.lowerAscii(): string", READS, (text: string) => text.replace(ASCII_UPPER, (run) => run.toLowerCase())),
  method("string.upperAscii(): string", READS, (text: string) => text.replace(ASCII_LOWER, (run) => run.toUpperCase())),
  method("string.replace(string, string): string", REPLACES, (text: string, from: string, to: string, steps: Steps) =>
    replace(text, { from, to, times: -1n }, steps),
  ),
  method(
    "string.replace(string, string, int): string",
    REPLACES,
    (text: string, from: string, to: string, times: bigint, steps: Steps) => replace(text, { from, to, times }, steps),
  ),
  method("string.split(string): list<string>", READS, (text: string, separator: string, steps: Steps) =>
    split(text, separator, -1n, steps),
  ),
  method("string.split(string, int): list<string>", READS, split),
  method("string.substring(int): string", READS, (text: string, from: bigint) => substring(text, from)),
  method("string.substring(int, int): string", READS, (text: string, from: bigint, to: bigint) =>
    substring(text, from, to),
  ),
  method("string.trim(): string", READS, trim),
  method("string.reverse(): string", READS, (text: string, steps: Steps) => {
    steps.step(text.length);
    return Array.from(text).reverse().join("");
  }),
  method("list<string>.join(): string", JOINS, (list: CelList, steps: Steps) => join(list, "", steps)),
  method("list<string>.join(string): string", JOINS, join),
  method(
    "string.format(list<dyn>): string",
    { ...READS_PAIR, size: () => range(0, Number.POSITIVE_INFINITY) },
    formatted,
  ),
  fn("strings.quote(string): string", { ...READS, size: (text = range(0)) => range(2, 2 * text.max + 2) }, quote),
];
