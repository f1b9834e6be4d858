// Visits the elements of a list or a map.
import { FOLD_COSTS } from "../cost/fold-costs";
import type { FoldMacro } from "../syntax/expression";
import { ArrayList, CelList, CelMap, type CelValue, DictionaryMap } from "../values/cel-value";
import { EvaluationError, fail } from "./evaluation-error";
import type { Frame, Step } from "./step";

const ERROR_STEPS = 100;

export interface Fold {
  readonly macro: FoldMacro;
  readonly range: Step;
  readonly filter: Step | undefined;
  readonly body: Step;
  /** Where the one or two variables are. */
  readonly places: readonly number[];
  /** What it takes to come to an element. */
  readonly elementSteps: number;
}

export function foldOf(fold: Fold): Step {
  switch (fold.macro) {
    case "all":
    case "exists":
      return quantified(fold, fold.macro === "exists");
    case "existsOne":
      return (frame) => {
        let count = 0;
        visit(fold, frame, (value) => {
          if (typeof value !== "boolean") fail("no such overload");
          if (value) count += 1;
          return true;
        });
        return count === 1;
      };
    case "list":
      return (frame) => {
        const made: CelValue[] = [];
        visit(fold, frame, (value) => {
          made.push(value);
          return true;
        });
        return new ArrayList(made);
      };
    case "map":
      return (frame) => dictionary(fold, frame, (entries, value, key) => entries.push([key, value]));
    case "mapEntry":
      return (frame) =>
        dictionary(fold, frame, (entries, value) => {
          if (!(value instanceof CelMap)) return fail("no such overload");
          for (const key of value.keys()) entries.push([key, value.get(key) as CelValue]);
          return undefined;
        });
  }
}

/** Of `all` and `exists`: an element that decides makes up for errors of others. */
function quantified(fold: Fold, decisive: boolean): Step {
  return (frame) => {
    let error: EvaluationError | undefined;
    let isDecided = false;
    visit(
      {
        ...fold,
        body: guarded(fold.body, (thrown) => {
          error ??= thrown;
        }),
      },
      frame,
      (value) => {
        if (value === decisive) {
          isDecided = true;
          return false;
        }
        if (typeof value !== "boolean" && value !== FAILED) error ??= new EvaluationError("no such overload");
        return true;
      },
    );
    if (isDecided) return decisive;
    if (error !== undefined) throw error;
    return !decisive;
  };
}

/** Stands for the value of a body that failed. */
const FAILED = new ArrayList([]);

function guarded(body: Step, failed: (error: EvaluationError) => void): Step {
  return (frame) => {
    try {
      return body(frame);
    } catch (thrown) {
      if (!(thrown instanceof EvaluationError)) throw thrown;
      frame.budget.step(ERROR_STEPS);
      failed(thrown);
      return FAILED;
    }
  };
}

type Entries = [CelValue, CelValue][];

function dictionary(
  fold: Fold,
  frame: Frame,
  take: (entries: Entries, value: CelValue, key: CelValue) => unknown,
): CelValue {
  const entries: Entries = [];
  visit(fold, frame, (value, key) => {
    take(entries, value, key);
    return true;
  });
  return DictionaryMap.of(entries) ?? fail("Failed with repeated key");
}

/** @param take answers whether to go on */
function visit(fold: Fold, frame: Frame, take: (value: CelValue, key: CelValue) => boolean): void {
  const { range, filter, body, places } = fold;
  const { slots, budget } = frame;
  const [first = 0, second] = places;
  const { each, kept } = FOLD_COSTS[fold.macro];
  const over = range(frame);
  const keys = over instanceof CelMap ? over.keys() : undefined;
  if (!(over instanceof CelList) && !(over instanceof CelMap)) fail("no such overload");
  const size = keys?.length ?? (over as CelList).size;
  // The names of all entries are looked up at once.
  if (keys !== undefined) budget.step(2 * keys.length);
  for (let index = 0; index < size; index += 1) {
    budget.charge(each);
    budget.step(fold.elementSteps);
    const key = keys === undefined ? BigInt(index) : (keys[index] as CelValue);
    if (second === undefined) slots[first] = keys === undefined ? (over as CelList).at(index) : key;
    else {
      slots[first] = key;
      slots[second] = keys === undefined ? (over as CelList).at(index) : ((over as CelMap).get(key) as CelValue);
    }
    if (filter !== undefined) {
      const isKept = filter(frame);
      if (typeof isKept !== "boolean") fail("no such overload");
      if (!isKept) continue;
    }
    budget.charge(kept);
    if (!take(body(frame), key)) return;
  }
}
