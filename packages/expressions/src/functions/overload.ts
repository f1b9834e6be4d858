// A function of the language as a table lists it: a signature, what it does, and what it costs.

import type { CostModel } from "../cost/cost-model";
import { type CelType, readType } from "../typing/cel-type";
import type { CelValue } from "../values/cel-value";

export interface Overload {
  readonly name: string;
  /** Called on its first parameter: `a.name(b)`. */
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly call: Implementation;
  readonly cost: CostModel;
  /** What is wrong with a literal argument, found before any run. */
  readonly literalProblem?: LiteralProblem;
  /** Has types that stand for any: they are its own in each call. */
  readonly isGeneric: boolean;
}

export type LiteralProblem = (args: readonly (CelValue | undefined)[]) => string | undefined;

// biome-ignore lint/suspicious/noExplicitAny: values were matched to the signature before the call
export type Implementation = (...args: any[]) => CelValue;

/**
 * `"string.charAt(int): string"` is a method, `"math.abs(int): int"` a function when its front is no type; say which by `method` and `fn`.
 */
export const method = (signature: string, cost: CostModel, call: Implementation): Overload => {
  const [, on = "", name = "", args = "", result = ""] = /^(.+)\.(\w+)\((.*)\): (.+)$/.exec(signature) ?? [];
  return made(name, true, [on, ...split(args)], result, { cost, call });
};

/** Reading a text of a form of its own takes steps that its length does not tell. */
export const parsing =
  (steps: number, call: Implementation): Implementation =>
  (...args) => {
    (args.at(-1) as { step(steps: number): void }).step(steps);
    return call(...args);
  };

export const fn = (signature: string, cost: CostModel, call: Implementation): Overload => {
  const [, name = "", args = "", result = ""] = /^([^(]+)\((.*)\): (.+)$/.exec(signature) ?? [];
  return made(name, false, split(args), result, { cost, call });
};

function made(
  name: string,
  isMethod: boolean,
  params: readonly string[],
  result: string,
  { cost, call }: { cost: CostModel; call: Implementation },
): Overload {
  if (name === "") throw new Error("a signature that cannot be read");
  const isGeneric = /\b[A-Z]\b/.test([...params, result].join(" "));
  return { name, isMethod, isGeneric, params: params.map(readType), result: readType(result), call, cost };
}

/** At the commas that stand in no angle brackets. */
function split(args: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of args) {
    if (character === "<") depth += 1;
    if (character === ">") depth -= 1;
    if (character === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  if (part.trim() !== "") parts.push(part.trim());
  return parts;
}
