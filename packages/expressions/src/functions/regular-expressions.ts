// Patterns of RE2, in linear time. Source: the language's definition, "matches"; the field's library for regular expressions.
import { RegularExpression } from "@orch/machinery";
import { RE2JS } from "re2js";
import { MATCHES } from "../cost/cost-model";
import { fail } from "../evaluation/evaluation-error";
import { payOnce } from "../evaluation/first-uses";
import { ArrayList, type CelList, type CelValue } from "../values/cel-value";
import type { Steps } from "../values/equality";
import { fn, type LiteralProblem, method, type Overload } from "./overload";

interface Pattern {
  readonly bounded: RegularExpression;
  readonly compiled: RE2JS;
}

/** Patterns are literals, nearly always: each is compiled once. */
const PATTERNS_MAX = 200;
const patterns = new Map<string, Pattern | string>();

/** Compiling takes so many steps for each character of the pattern's program, matching one for each of the text and some of the program. */
const COMPILE_STEPS = 100;
const PROGRAM_STEPS_A_STEP = 16;

/** @returns why a text is no pattern, or one that is too large */
export function patternOf(text: string): Pattern | string {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const bounded = RegularExpression.compile(text);
  const made = typeof bounded === "string" ? bounded : { bounded, compiled: RE2JS.compile(text) };
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  patterns.set(text, made);
  return made;
}

function pattern(text: string, of: string, steps: Steps): Pattern {
  payOnce(steps, text, COMPILE_STEPS * (text.length + 10));
  const made = patternOf(text);
  if (typeof made === "string") return fail(`error parsing regexp: ${made}`);
  steps.step(8 + of.length * (0.5 + Math.min(made.bounded.size, 1000) / PROGRAM_STEPS_A_STEP));
  return made;
}

const matches = (text: string, expression: string, steps: Steps): boolean =>
  pattern(expression, text, steps).bounded.test(text);

function find(text: string, expression: string, steps: Steps): string {
  const matcher = pattern(expression, text, steps).compiled.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

function findAll(text: string, expression: string, most: bigint, steps: Steps): CelList {
  const matcher = pattern(expression, text, steps).compiled.matcher(text);
  const found: CelValue[] = [];
  while ((most < 0n || found.length < most) && matcher.find()) {
    steps.step(10);
    found.push(matcher.group() ?? "");
  }
  return new ArrayList(found);
}

/** A pattern that stands in the rule is looked at when the rule is compiled. */
const literalProblem: LiteralProblem = ([, expression]) => {
  const made = typeof expression === "string" ? patternOf(expression) : undefined;
  return typeof made === "string" ? `invalid matches argument: ${made}` : undefined;
};

const OVERLOADS: readonly Overload[] = [
  method("string.matches(string): bool", MATCHES, matches),
  fn("matches(string, string): bool", MATCHES, matches),
  method("string.find(string): string", MATCHES, find),
  method("string.findAll(string): list<string>", MATCHES, (text: string, expression: string, steps: Steps) =>
    findAll(text, expression, -1n, steps),
  ),
  method("string.findAll(string, int): list<string>", MATCHES, findAll),
];

export const REGULAR_EXPRESSIONS = OVERLOADS.map((overload) => ({ ...overload, literalProblem }));
