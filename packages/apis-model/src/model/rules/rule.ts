// Validation rules as data: a tree of fields with their rules, typed by the generated schema, so that a misspelt field
// does not compile. Built once per kind; running one costs a look at each named field.
import type { FieldError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ValidationContext } from "../built-in-resource";
import { Place } from "./place";
import { Report } from "./report";

/** Checks a present value and reports every error. */
export interface Rule<T> {
  (value: T, at: Place, report: Report): void;
  /** Runs when the field is absent, or its text is empty. Most rules require nothing then. */
  readonly whenAbsent?: (at: Place, report: Report, value?: unknown) => void;
}

/** Builds the `validate` and `validateCreate` functions of a resource table. */
export function validator<T>(rule: Rule<T>) {
  return (object: JsonObject, context: ValidationContext): readonly FieldError[] => {
    const report = new Report(context);
    rule(object as T, Place.ROOT, report);
    return report.errors;
  };
}

/** Rules keyed by field name, in the order in which they report. */
export type FieldRules<T> = { readonly [F in keyof T]?: Rule<NonNullable<T[F]>> };

/**
 * Rules of the fields of an object. Rules of absent fields do not run. An empty text is a value for a rule without
 * `whenAbsent`: an unset text is removed by decoding, or the rule is an `ifSet`.
 */
export function fields<T extends object>(rules: FieldRules<T>): Rule<T> {
  const entries = Object.entries(rules) as unknown as readonly (readonly [keyof T & string, Rule<unknown>])[];
  return (value, at, report) => {
    for (const [name, rule] of entries) {
      const inner = value[name];
      // The place is created only when needed: most fields are absent.
      if (isValue(rule, inner)) rule(inner, at.field(name), report);
      else rule.whenAbsent?.(at.field(name), report, inner);
    }
  };
}

/** Returns whether a value is unset. An unset text may be encoded as "". */
export const isAbsent = (value: unknown): value is undefined | null | "" =>
  value === undefined || value === null || value === "";

/** Returns whether the rule checks the value. */
const isValue = ({ whenAbsent }: { readonly whenAbsent?: unknown }, value: unknown): boolean =>
  !isAbsent(value) || (value === "" && whenAbsent === undefined);

/** Applies a rule to texts that are always encoded: an empty one is unset. */
export function ifSet<T>(rule: Rule<T>): Rule<T> {
  return (value, at, report) => {
    if (!isAbsent(value)) rule(value, at, report);
  };
}

/** Applies several rules to one value. Their `whenAbsent` functions all run for an absent one. */
export function all<T>(...rules: readonly Rule<T>[]): Rule<T> {
  const onAbsence = rules.flatMap(({ whenAbsent }) => whenAbsent ?? []);
  const every: Rule<T> = (value, at, report) => {
    for (const rule of rules) rule(value, at, report);
  };
  if (onAbsence.length === 0) return every;
  return withAbsence(every, (at, report, value) => {
    for (const rule of onAbsence) rule(at, report, value);
  });
}

/** Requires the field: an empty text or list is not sufficient. */
export function required<T>(rule: Rule<T> = anything, detail = ""): Rule<T> {
  return withAbsence(
    (value, at, report) => {
      if (Array.isArray(value) && value.length === 0) report.required(at, detail);
      else rule(value, at, report);
    },
    (at, report) => report.required(at, detail),
  );
}

/** Treats an absent field as this value, such as 0 for an unset number. */
export function absentAs<T>(value: NoInfer<T>, rule: Rule<T>): Rule<T> {
  return withAbsence(rule, (at, report) => rule(value, at, report));
}

/** Applies a rule to each item of a list. */
export function each<T>(rule: Rule<T>): Rule<readonly T[]> {
  return (list, at, report) => {
    for (let position = 0; position < list.length; position += 1) {
      const item = list[position] as T;
      if (isValue(rule, item)) rule(item, at.item(position), report);
      else rule.whenAbsent?.(at.item(position), report, item);
    }
  };
}

/** Requires distinct keys of items. @param of value and field of the error; absent: the item itself */
export function unique<T>(
  keyOf: (item: T) => string | undefined,
  { field, shows }: { readonly field?: string; readonly shows?: (item: T) => unknown } = {},
): Rule<readonly T[]> {
  return (list, at, report) => {
    if (list.length < 2) return;
    const seen = new Set<string>();
    list.forEach((item, position) => {
      const key = keyOf(item);
      if (key === undefined || key === "") return;
      if (seen.has(key)) {
        const place = at.item(position);
        report.duplicate(field === undefined ? place : place.field(field), shows === undefined ? key : shows(item));
      }
      seen.add(key);
    });
  };
}

/** Applies a rule to each entry of a map, at `map[key]`. */
export function eachEntry<T>(
  rule: (key: string, value: T, at: Place, report: Report) => void,
): Rule<{ readonly [key: string]: T }> {
  return (map, at, report) => {
    for (const key of Object.keys(map)) rule(key, map[key] as T, at.key(key), report);
  };
}

/** Forbids the field. */
export const forbidden =
  (detail: string): Rule<unknown> =>
  (_value, at, report) =>
    report.forbidden(at, detail);

/** Requires exactly one of the fields. Errors are reported on the object that contains them. */
export function exactlyOne<T extends object>(
  names: readonly (keyof T & string)[],
  says: { readonly none: string; readonly several: string },
): Rule<T> {
  return (value, at, report) => {
    let count = 0;
    for (const name of names) {
      if (value[name] === undefined || value[name] === null) continue;
      count += 1;
      if (count > 1) report.forbidden(at.field(name), says.several);
    }
    if (count === 0) report.required(at, says.none);
  };
}

const anything: Rule<unknown> = () => undefined;

function withAbsence<T>(rule: Rule<T>, whenAbsent: NonNullable<Rule<T>["whenAbsent"]>): Rule<T> {
  const both: Rule<T> = (value, at, report) => rule(value, at, report);
  return Object.assign(both, { whenAbsent });
}
