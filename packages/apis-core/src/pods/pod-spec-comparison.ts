// Comparison of the specs of a changed pod and its stored state. Most updates change only metadata. The preparation and
// the validation of an update both ask whether the spec is the same, with no change in between.

import { unchanged } from "@orch/apis-model";

/**
 * The stored spec that a new spec was found to equal. An entry lasts as long as the new spec, which belongs to one
 * attempt of one write.
 */
const equals = new WeakMap<object, object>();

/**
 * Returns whether the specs are equal. The answer is remembered when it is yes: a spec must not change after it has been
 * compared. Differences are mostly found early and are not remembered.
 */
export function isSameSpec(next: unknown, old: unknown): boolean {
  if (next === old) return true;
  if (!isHeld(next) || !isHeld(old)) return unchanged(next, old);
  if (equals.get(next) === old) return true;
  const same = unchanged(next, old);
  if (same) equals.set(next, old);
  return same;
}

const isHeld = (value: unknown): value is object => typeof value === "object" && value !== null;
