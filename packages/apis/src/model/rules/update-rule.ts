// Rules of how an object may change: trees of fields like those of `rule.ts`, over the next state and the one that is stored.
import type { FieldError } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import { sameValue } from "../../values/same-value";
import type { ValidationContext } from "../built-in-resource";
import { Place } from "./place";
import { Report } from "./report";
import { isAbsent } from "./rule";

/** Either value may be absent. */
export type UpdateRule<T> = (next: T, old: T, at: Place, report: Report) => void;

/** Of what a resource's table calls `validateUpdate`. */
export function updateValidator<T>(rule: UpdateRule<T>) {
  return (object: JsonObject, old: JsonObject, context: ValidationContext): readonly FieldError[] => {
    const report = new Report(context);
    rule(object as T, old as T, Place.ROOT, report);
    return report.errors;
  };
}

export type FieldUpdateRules<T> = { readonly [F in keyof T]?: UpdateRule<T[F]> };

/** Rules for the fields of an object that both states have. */
export function changes<T extends object>(rules: FieldUpdateRules<T>): UpdateRule<T | undefined> {
  const entries = Object.entries(rules) as unknown as readonly (readonly [keyof T & string, UpdateRule<unknown>])[];
  return (next, old, at, report) => {
    for (const [name, rule] of entries) rule(next?.[name], old?.[name], at.field(name), report);
  };
}

/** The field stays as it was stored. */
export const immutable: UpdateRule<unknown> = (next, old, at, report) => {
  if (!unchanged(next, old)) report.immutable(at, next);
};

/** The field stays as it is once it has a value. */
export const immutableOnceSet: UpdateRule<unknown> = (next, old, at, report) => {
  if (!isAbsent(old)) immutable(next, old, at, report);
};

/** Absent, null and "" are the same on the wire. */
export const unchanged = (next: unknown, old: unknown): boolean =>
  next === old || (isAbsent(next) && isAbsent(old)) || sameValue(next as JsonValue, old as JsonValue);
