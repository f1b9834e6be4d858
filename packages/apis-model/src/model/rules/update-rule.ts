// Rules of updates: trees of fields like those of `rule.ts`, over the new and the stored object.

import type { FieldError } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import { sameValue } from "../../values/same-value";
import type { ValidationContext } from "../built-in-resource";
import { Place } from "./place";
import { Report } from "./report";
import { isAbsent, type Rule } from "./rule";

/** Compares two values. Either may be absent. */
export type UpdateRule<T> = (next: T, old: T, at: Place, report: Report) => void;

/** Builds the `validateUpdate` function of a resource table. */
export function updateValidator<T>(rule: UpdateRule<T>) {
  return (object: JsonObject, old: JsonObject, context: ValidationContext): readonly FieldError[] => {
    const report = new Report(context);
    rule(object as T, old as T, Place.ROOT, report);
    return report.errors;
  };
}

export type FieldUpdateRules<T> = { readonly [F in keyof T]?: UpdateRule<T[F]> };

/** Rules of the fields of an object that both states have. */
export function changes<T extends object>(rules: FieldUpdateRules<T>): UpdateRule<T | undefined> {
  const entries = Object.entries(rules) as unknown as readonly (readonly [keyof T & string, UpdateRule<unknown>])[];
  return (next, old, at, report) => {
    for (const [name, rule] of entries) rule(next?.[name], old?.[name], at.field(name), report);
  };
}

/** Requires an unchanged field. */
export const immutable: UpdateRule<unknown> = (next, old, at, report) => {
  if (!unchanged(next, old)) report.immutable(at, next);
};

/** Requires an unchanged field once it has a value. */
export const immutableOnceSet: UpdateRule<unknown> = (next, old, at, report) => {
  if (!isAbsent(old)) immutable(next, old, at, report);
};

/** Compares two values. Absent, null and "" are equal. */
export const unchanged = (next: unknown, old: unknown): boolean =>
  next === old || (isAbsent(next) && isAbsent(old)) || sameValue(next as JsonValue, old as JsonValue);

/**
 * Skips the rule when the stored object violates it: the rule is newer than the object, and an update need not correct
 * the violation.
 */
export const unlessBrokenBefore =
  <T>(rule: Rule<T>): UpdateRule<T> =>
  (next, old, at, report) => {
    const before = new Report(report);
    rule(old, at, before);
    if (before.errors.length === 0) rule(next, at, report);
  };
