// Folds: macros that visit the elements of a list or map.
import { FOLD_COSTS } from "../cost/cost-model";
import type { FoldMacro } from "../syntax/expression";
import { ArrayList, CelList, CelMap, type CelValue, DictionaryMap } from "../values/cel-value";
import { type EvaluationError, fail } from "../values/evaluation-error";
import { tried } from "./logic";
import type { Frame, Step } from "./step";

export interface Fold {
  readonly macro: FoldMacro;
  readonly range: Step;
  readonly filter: Step | undefined;
  readonly body: Step;
  /** Slots of the one or two variables. */
  readonly places: readonly number[];
  /** Work of reading an element. */
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
        });
        return count === 1;
      };
    case "list":
      return (frame) => {
        const made: CelValue[] = [];
        visit(fold, frame, (value) => made.push(value));
        return new ArrayList(made);
      };
    case "map":
      return (frame) => dictionary(fold, frame, (entries, value, key) => entries.push([key(), value]));
    case "mapEntry":
      return (frame) =>
        dictionary(fold, frame, (entries, value) => {
          if (!(value instanceof CelMap)) return fail("no such overload");
          for (const key of value.keys()) entries.push([key, value.get(key) as CelValue]);
          return undefined;
        });
  }
}

/** Runs `all` or `exists`: a deciding element overrides errors of other elements. */
function quantified({ macro, range, body, places, elementSteps }: Fold, decisive: boolean): Step {
  const { each } = FOLD_COSTS[macro];
  const [first = 0, second] = places;
  return (frame) => {
    const { budget } = frame;
    let failed: EvaluationError | undefined;
    const over = range(frame);
    const keys = keysOf(over, frame);
    const size = keys === undefined ? (over as CelList).size : keys.length;
    for (let index = 0; index < size; index += 1) {
      budget.charge(each);
      budget.step(elementSteps);
      if (second !== undefined) placePair(frame, over as CelList | CelMap, keys, { index, first, second });
      else frame.slots[first] = keys === undefined ? (over as CelList).at(index) : (keys[index] as CelValue);
      const value = tried(body, frame);
      if (value === decisive) return decisive;
      if (typeof value !== "boolean") failed ??= value;
    }
    if (failed !== undefined) throw failed;
    return !decisive;
  };
}

type Entries = [CelValue, CelValue][];
/** Creates the key lazily: an index is a bigint, which is slow to create. */
type KeyOf = () => CelValue;

function dictionary(
  fold: Fold,
  frame: Frame,
  take: (entries: Entries, value: CelValue, key: KeyOf) => unknown,
): CelValue {
  const entries: Entries = [];
  visit(fold, frame, (value, key) => take(entries, value, key));
  return DictionaryMap.of(entries) ?? fail("Failed with repeated key");
}

function visit(fold: Fold, frame: Frame, take: (value: CelValue, key: KeyOf) => void): void {
  const { range, filter, body, places, elementSteps } = fold;
  const [first = 0, second] = places;
  const { budget } = frame;
  const { each, kept } = FOLD_COSTS[fold.macro];
  const over = range(frame);
  const keys = keysOf(over, frame);
  const size = keys === undefined ? (over as CelList).size : keys.length;
  let index = 0;
  const key = () => keyAt(keys, index);
  for (; index < size; index += 1) {
    budget.charge(each);
    budget.step(elementSteps);
    if (second !== undefined) placePair(frame, over as CelList | CelMap, keys, { index, first, second });
    else frame.slots[first] = keys === undefined ? (over as CelList).at(index) : (keys[index] as CelValue);
    if (filter !== undefined) {
      const isKept = filter(frame);
      if (typeof isKept !== "boolean") fail("no such overload");
      if (!isKept) continue;
    }
    budget.charge(kept);
    take(body(frame), key);
  }
}

type Keys = readonly CelValue[] | undefined;

/** Returns the keys of a map; undefined for a list. */
function keysOf(over: CelValue, { budget }: Frame): Keys {
  if (!(over instanceof CelMap)) return over instanceof CelList ? undefined : fail("no such overload");
  const keys = over.keys();
  // Covers reading all keys, which happens in one operation.
  budget.step(2 * keys.length);
  return keys;
}

const keyAt = (keys: Keys, index: number): CelValue => (keys === undefined ? BigInt(index) : (keys[index] as CelValue));

function placePair(
  { slots }: Frame,
  over: CelList | CelMap,
  keys: Keys,
  { index, first, second }: { readonly index: number; readonly first: number; readonly second: number },
): void {
  const key = keyAt(keys, index);
  slots[first] = key;
  slots[second] = keys === undefined ? (over as CelList).at(index) : ((over as CelMap).get(key) as CelValue);
}
