// Overloads of functions: signature, implementation and cost, and the table of functions by name.

import { compareReleases } from "@orch/schema";
import type { CostModel } from "../cost/cost-model";
import { type CelType, readType } from "../values/cel-type";
import type { CelValue } from "../values/cel-value";
import type { Steps } from "../values/equality";

export interface Overload {
  readonly name: string;
  /** Called on its first parameter: `a.name(b)`. */
  readonly isMethod: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly call: Implementation;
  readonly cost: CostModel;
  /** Validates literal arguments at compile time. */
  readonly literalProblem?: LiteralProblem;
  /** The literals are validated only in new expressions. */
  readonly checksNewLiterals?: true;
  /** Has type parameters, which are resolved separately in each call. */
  readonly isGeneric: boolean;
  /** First release with the function. Absent: every release with expressions has it. */
  readonly since?: string;
  /** The function is an addition of Orch: no release of Kubernetes has it. */
  readonly isAddition?: true;
}

export type LiteralProblem = (args: readonly (CelValue | undefined)[]) => string | undefined;

// biome-ignore lint/suspicious/noExplicitAny: values were matched to the signature before the call
export type Implementation = (...args: any[]) => CelValue;

/**
 * Declares a method from its signature, such as `"string.charAt(int): string"`. `fn` declares a function, such as
 * `"math.abs(int): int"`.
 */
export const method = (signature: string, cost: CostModel, call: Implementation): Overload => {
  const [, on = "", name = "", args = "", result = ""] = /^(.+)\.(@?\w+)\((.*)\): (.+)$/.exec(signature) ?? [];
  return made(name, true, [on, ...split(args)], result, { cost, call });
};

/** Charges steps for parsing a text, whose work is not proportional to its length. */
export const parsing =
  (steps: number, call: Implementation): Implementation =>
  (...args) => {
    (args.at(-1) as { step(steps: number): void }).step(steps);
    return call(...args);
  };

/**
 * Charges a price once per run and key. The cost of a run must not depend on caches, because the validity of an object
 * would then depend on earlier requests. A value derived from a text, such as a compiled pattern, is therefore charged
 * once per run, whether it is cached or not.
 * @param steps the run's counter
 */
export function payOnce(steps: Steps, key: string, price: number): void {
  steps.paid ??= new Set();
  if (steps.paid.has(key)) return;
  steps.step(price);
  steps.paid.add(key);
}

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

/** Splits at the commas outside of angle brackets. */
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

/** Functions available to expressions, by name. */
export class FunctionTable {
  private readonly functions = new Map<string, Overload[]>();
  private readonly methods = new Map<string, Overload[]>();

  private readonly former = new Map<string, FunctionTable>();

  /**
   * @param release newest release whose functions and macros the table has. Absent: all
   * @param hasAdditions whether the table has functions and macros that no release of Kubernetes has
   */
  constructor(
    private readonly overloads: readonly Overload[],
    private readonly release?: string,
    readonly hasAdditions = true,
  ) {
    for (const overload of overloads) {
      const byName = overload.isMethod ? this.methods : this.functions;
      const known = byName.get(overload.name);
      if (known === undefined) byName.set(overload.name, [overload]);
      else known.push(overload);
    }
  }

  /** Returns a table with further functions. */
  with(more: readonly Overload[]): FunctionTable {
    return new FunctionTable([...this.overloads, ...more]);
  }

  /** Returns the table of a release. @param withAdditions whether it keeps the functions that only Orch has */
  upTo(release: string, withAdditions: boolean): FunctionTable {
    const key = `${release} ${withAdditions}`;
    let table = this.former.get(key);
    if (table === undefined) {
      const has = ({ since, isAddition }: Overload) =>
        (since === undefined || compareReleases(since, release) <= 0) && (withAdditions || isAddition !== true);
      table = new FunctionTable(this.overloads.filter(has), release, withAdditions);
      this.former.set(key, table);
    }
    return table;
  }

  /** Reports whether the table belongs to one release, which new expressions may not exceed. */
  get isLimited(): boolean {
    return this.release !== undefined;
  }

  /** Reports whether the table is of a release or a later one. */
  includes(release: string): boolean {
    return this.release === undefined || compareReleases(release, this.release) <= 0;
  }

  /** Returns the overloads of a name; empty when there are none. */
  named(name: string, isMethod: boolean): readonly Overload[] {
    return (isMethod ? this.methods : this.functions).get(name) ?? [];
  }
}
