// Stored values that declared rules compare with. An update does not check an unchanged value again, so that a stored
// object may break a rule that is newer. Source: KEP-5073 "Declarative Validation", "Ratcheting".
import type { JsonValue } from "@orch/schema";
import { sameValue } from "../values/same-value";

/** Stands for the stored value when there is none to compare with: on create, and for new items of a list. */
export const NO_OLD: unique symbol = Symbol("no stored value");

export type Old = JsonValue | undefined | typeof NO_OLD;

/** Returns whether the value is the zero value of a field that does not tell absent from empty. */
export function isZero(value: unknown, isPointer: boolean): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "object") {
    for (const _ in value) return false;
    return !isPointer;
  }
  return !isPointer && (value === "" || value === 0 || value === false || value === "0");
}

/** Compares a value with the stored one. Absent and empty are equal unless the field tells them apart. */
export function isUnchanged(value: unknown, old: Old, isPointer: boolean): boolean {
  if (old === NO_OLD) return false;
  if (value === old) return true;
  if (isZero(value, isPointer)) return isZero(old, isPointer);
  return sameValue(value as JsonValue, old);
}
