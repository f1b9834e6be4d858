// All limit ranges of a namespace combined, so that a pod is checked once and not once per range.
import { compareQuantities, type JsonObject } from "@orch/schema";
import type { EventLoopYielder } from "../../contract/dependencies";
import { type BoundCheck, checksOf, type Subject } from "./breaches";
import { type Bound, type BoundList, itemsOf, type LimitItem } from "./limit-items";

/** Default amount of a resource, and the index of the first range that has it. */
export interface SpecifiedAmount {
  readonly text: string;
  readonly range: number;
}

export type SpecifiedAmounts = ReadonlyMap<string, SpecifiedAmount>;

/** Bounds of one list and resource. Each is narrower than the earlier ones and belongs to a later range. */
interface Narrowing {
  readonly check: BoundCheck;
  readonly steps: { readonly range: number; readonly bound: Bound }[];
}

const known = new WeakMap<readonly JsonObject[], Promise<CombinedRanges>>();

/** Combines ranges; cached by array. @param ranges in order; the same array until one of them changes */
export function combineRanges(ranges: readonly JsonObject[], yielder: EventLoopYielder): Promise<CombinedRanges> {
  let combined = known.get(ranges);
  if (combined === undefined) {
    combined = combine(ranges, yielder);
    known.set(ranges, combined);
  }
  return combined;
}

async function combine(ranges: readonly JsonObject[], yielder: EventLoopYielder): Promise<CombinedRanges> {
  const combined = new CombinedRanges();
  for (const [at, range] of ranges.entries()) {
    if (yielder.isOver) await yielder.next();
    combined.add(at, itemsOf(range));
  }
  return combined;
}

export class CombinedRanges {
  readonly limits = new Map<string, SpecifiedAmount>();
  readonly requests = new Map<string, SpecifiedAmount>();
  private readonly narrowings = new Map<string, Map<string, Narrowing>>();

  add(range: number, items: readonly LimitItem[]): void {
    for (const item of items) {
      if (item.type === "Container") {
        give(this.limits, item.default, range);
        give(this.requests, item.defaultRequest, range);
      }
      for (const { list, check } of checksOf(item.type)) {
        for (const bound of item[list]) this.narrow(item.type, list, { range, bound }, check);
      }
    }
  }

  /** Returns the index of the first range before `before` that the subject violates, or `before`. */
  firstAgainst(subject: Subject, before: number): number {
    let first = before;
    for (const { check, steps } of this.narrowings.get(subject.type)?.values() ?? []) {
      const isAgainst = (step: Narrowing["steps"][number]) => check(step.bound, subject) !== undefined;
      const last = steps.at(-1);
      if (last !== undefined && isAgainst(last)) first = Math.min(first, firstOf(steps, isAgainst).range);
    }
    return first;
  }

  private narrow(type: string, list: BoundList, step: Narrowing["steps"][number], check: BoundCheck): void {
    const ofType = this.narrowings.get(type) ?? new Map<string, Narrowing>();
    this.narrowings.set(type, ofType);
    const key = `${list} ${step.bound.name}`;
    const narrowing = ofType.get(key) ?? { check, steps: [] };
    ofType.set(key, narrowing);
    const last = narrowing.steps.at(-1);
    const order = last === undefined ? 1 : compareQuantities(step.bound.amount, last.bound.amount);
    if (last === undefined || (list === "min" ? order > 0 : order < 0)) narrowing.steps.push(step);
  }
}

/** Adds default amounts. An earlier range takes precedence; in one range, the later item. */
function give(to: Map<string, SpecifiedAmount>, amounts: Readonly<Record<string, string>>, range: number): void {
  for (const [name, text] of Object.entries(amounts)) {
    const before = to.get(name);
    if (before === undefined || before.range === range) to.set(name, { text, range });
  }
}

/**
 * Returns the first step for which `does` is true, by binary search. It is true for the last one, and for all after the
 * first.
 */
function firstOf<Step>(steps: readonly Step[], does: (step: Step) => boolean): Step {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (does(steps[middle] as Step)) high = middle;
    else low = middle + 1;
  }
  return steps[high] as Step;
}
