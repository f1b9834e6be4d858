// A size held against a literal, as `self.names.size() < 10`: told without the integers of the language, which are slow to make. It costs
// what the two calls cost.
import { steppedSize } from "../functions/conversions";
import type { Overload } from "../functions/overload";
import { CelList, CelMap, type CelValue } from "../values/cel-value";
import { fail } from "./evaluation-error";
import type { Step } from "./step";

type Sized = "string" | "bytes" | "list" | "map";
const SIZED: readonly string[] = ["string", "bytes", "list", "map"] satisfies readonly Sized[];

const HOLDS: Readonly<Record<string, (size: number, bound: number) => boolean>> = {
  "_<_": (size, bound) => size < bound,
  "_<=_": (size, bound) => size <= bound,
  "_>_": (size, bound) => size > bound,
  "_>=_": (size, bound) => size >= bound,
  "_==_": (size, bound) => size === bound,
  "_!=_": (size, bound) => size !== bound,
};

/**
 * @param candidates the functions of that name that it may be
 * @param of.isKnown it is the only one, whatever the values
 * @param of.bound the literal
 * @returns given what is sized; undefined for another operator, another literal, and a function that tells the size of something else
 */
export function sizeComparisonOf(
  operator: string,
  candidates: readonly Overload[],
  { isKnown, bound: literal }: { readonly isKnown: boolean; readonly bound: CelValue },
): ((operand: Step) => Step) | undefined {
  const holds = HOLDS[operator];
  const bound = typeof literal === "bigint" ? Number(literal) : Number.NaN;
  const steps = stepsOf(candidates, isKnown);
  if (holds === undefined || steps === undefined || !Number.isSafeInteger(bound)) return undefined;
  return (operand) => comparison(operand, { holds, bound, steps });
}

interface Comparison {
  readonly holds: (size: number, bound: number) => boolean;
  readonly bound: number;
  readonly steps: ChoiceSteps;
}

function comparison(operand: Step, { holds, bound, steps }: Comparison): Step {
  return (frame) => {
    const value = operand(frame);
    const { budget } = frame;
    const looked =
      typeof value === "string"
        ? steps.string
        : value instanceof CelMap
          ? steps.map
          : value instanceof CelList
            ? steps.list
            : value instanceof Uint8Array
              ? steps.bytes
              : undefined;
    if (looked === undefined) {
      budget.step(steps.all);
      return fail("no such overload");
    }
    budget.step(looked);
    budget.charge(1);
    const size = steppedSize(value as string | Uint8Array | CelList | CelMap, budget);
    // Of a comparison of two integers.
    budget.charge(1);
    return holds(size, bound);
  };
}

/** Of finding the function that tells the size of such a value; undefined where none does. */
type ChoiceSteps = Readonly<Record<Sized, number | undefined>> & { readonly all: number };

const shared = new Map<string, ChoiceSteps>();

/** @returns undefined where one of them tells no size of these */
function stepsOf(candidates: readonly Overload[], isKnown: boolean): ChoiceSteps | undefined {
  const places = new Map<string, number>();
  for (const [index, { name, params }] of candidates.entries()) {
    const [param] = name === "size" ? params : [];
    const isOfAny = param?.kind !== "list" || param.item.kind === "parameter";
    if (param === undefined || params.length !== 1 || !isOfAny || !SIZED.includes(param.kind)) return undefined;
    // A choice takes a step for each function that it looks at.
    places.set(param.kind, isKnown ? 0 : index + 1);
  }
  const of = (kind: Sized) => places.get(kind);
  const steps = { string: of("string"), bytes: of("bytes"), list: of("list"), map: of("map"), all: candidates.length };
  const key = JSON.stringify(steps);
  const known = shared.get(key) ?? steps;
  shared.set(key, known);
  return known;
}
