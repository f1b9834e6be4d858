// Regular expressions in RE2 syntax, matched in linear time. Source: github.com/google/cel-spec, doc/langdef.md,
// "Regular Expressions"; staging/src/k8s.io/apiserver/pkg/cel/library/regex.go.
import { RegularExpression } from "@orch/machinery";
import { MATCHES } from "../cost/cost-model";
import { ArrayList, type CelList, type CelValue } from "../values/cel-value";
import type { Steps } from "../values/equality";
import { fail } from "../values/evaluation-error";
import { fn, type LiteralProblem, method, type Overload, payOnce } from "./overload";

/** Maximum number of cached patterns. Patterns are mostly literals, which are compiled once. */
const PATTERNS_MAX = 200;
const patterns = new Map<string, RegularExpression | string>();

/**
 * Work of compiling, per character of a pattern. Matching takes one step per two characters of the text, and one per
 * PROGRAM_STEPS_A_STEP steps of the program and character.
 */
const COMPILE_STEPS = 100;
const PROGRAM_STEPS_A_STEP = 16;

/**
 * Compiles a pattern.
 * @returns an error text when the pattern is invalid or too large
 */
function patternOf(text: string): RegularExpression | string {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const made = RegularExpression.compile(text);
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  patterns.set(text, made);
  return made;
}

function pattern(text: string, of: string, steps: Steps): RegularExpression {
  payOnce(steps, text, COMPILE_STEPS * (text.length + 10));
  const made = patternOf(text);
  if (typeof made === "string") return fail(`error parsing regexp: ${made}`);
  steps.step(8 + of.length * (0.5 + Math.min(made.size, 1000) / PROGRAM_STEPS_A_STEP));
  return made;
}

const matches = (text: string, expression: string, steps: Steps): boolean =>
  pattern(expression, text, steps).test(text);

function find(text: string, expression: string, steps: Steps): string {
  for (const found of pattern(expression, text, steps).matchesIn(text)) return found;
  return "";
}

function findAll(text: string, expression: string, most: bigint, steps: Steps): CelList {
  const found: CelValue[] = [];
  if (most === 0n) return new ArrayList(found);
  for (const part of pattern(expression, text, steps).matchesIn(text)) {
    steps.step(10);
    found.push(part);
    if (most > 0n && found.length >= most) break;
  }
  return new ArrayList(found);
}

/** Checks a literal pattern when the rule is compiled. */
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
