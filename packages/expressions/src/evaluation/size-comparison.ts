// Compares a size with a literal, as in `self.names.size() < 10`, without creating bigints, which are slow. The cost is
// that of the two calls.
import { steppedSize } from "../functions/conversions";
import type { Overload } from "../functions/overload";
import { CelList, CelMap, type CelValue } from "../values/cel-value";
import { fail } from "../values/evaluation-error";
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
 * Compiles a comparison of a size.
 * @param candidates overloads that the call may resolve to
 * @param of.isKnown whether the overload is known at compile time
 * @param of.bound the literal
 * @returns a function of the sized operand; undefined for another operator, another literal, or a function other than
 * size
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
    // Cost of the comparison of two integers.
    budget.charge(1);
    return holds(size, bound);
  };
}

/** Work of choosing the overload for each type of value; undefined when there is none. */
type ChoiceSteps = Readonly<Record<Sized, number | undefined>> & { readonly all: number };

const shared = new Map<string, ChoiceSteps>();

/**
 * Returns the work of choosing an overload.
 * @returns undefined when a candidate is not the size function of these types
 */
function stepsOf(candidates: readonly Overload[], isKnown: boolean): ChoiceSteps | undefined {
  const places = new Map<string, number>();
  for (const [index, { name, params }] of candidates.entries()) {
    const [param] = name === "size" ? params : [];
    const isOfAny = param?.kind !== "list" || param.item.kind === "parameter";
    if (param === undefined || params.length !== 1 || !isOfAny || !SIZED.includes(param.kind)) return undefined;
    // A choice takes one step per tested overload.
    places.set(param.kind, isKnown ? 0 : index + 1);
  }
  const of = (kind: Sized) => places.get(kind);
  const steps = { string: of("string"), bytes: of("bytes"), list: of("list"), map: of("map"), all: candidates.length };
  const key = JSON.stringify(steps);
  const known = shared.get(key) ?? steps;
  shared.set(key, known);
  return known;
}
