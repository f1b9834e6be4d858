// Rules of objects written as data: a tree of fields with the rule of each, typed by what the schema generates, so that a misspelt
// field does not compile. Made once for a kind; to run one costs a look at each named field.
import type { FieldError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ValidationContext } from "../built-in-resource";
import { Place } from "./place";
import { Report } from "./report";

/** Runs on a value that is there; reports every breach. */
export interface Rule<T> {
  (value: T, at: Place, report: Report): void;
  /** Runs where the field is absent. Most rules ask nothing of an absent field. */
  readonly whenAbsent?: (at: Place, report: Report) => void;
}

/** Of what a resource's table calls `validate` and `validateCreate`. */
export function validator<T>(rule: Rule<T>) {
  return (object: JsonObject, context: ValidationContext): readonly FieldError[] => {
    const report = new Report(context);
    rule(object as T, Place.ROOT, report);
    return report.errors;
  };
}

/** The rules of fields by name, in the order in which they report. */
export type FieldRules<T> = { readonly [F in keyof T]?: Rule<NonNullable<T[F]>> };

/**
 * Rules for fields of one object; those of fields that the object does not have do not run. An empty text is a value like any other to a
 * rule that has no say on absence: where nobody set it, decoding leaves it out of the object, or the rule is an `ifSet`.
 */
export function fields<T extends object>(rules: FieldRules<T>): Rule<T> {
  const entries = Object.entries(rules) as unknown as readonly (readonly [keyof T & string, Rule<unknown>])[];
  return (value, at, report) => {
    for (const [name, rule] of entries) {
      const inner = value[name];
      // The place is made where it is wanted: most fields are absent.
      if (isValue(rule, inner)) rule(inner, at.field(name), report);
      else rule.whenAbsent?.(at.field(name), report);
    }
  };
}

/** On the wire, "" is what a text is when nobody set it. */
export const isAbsent = (value: unknown): value is undefined | null | "" =>
  value === undefined || value === null || value === "";

/** Whether it is for the rule to check. */
const isValue = ({ whenAbsent }: { readonly whenAbsent?: unknown }, value: unknown): boolean =>
  !isAbsent(value) || (value === "" && whenAbsent === undefined);

/** For texts that the wire always has: an empty one is what nobody set. */
export function ifSet<T>(rule: Rule<T>): Rule<T> {
  return (value, at, report) => {
    if (!isAbsent(value)) rule(value, at, report);
  };
}

/** Several rules for one value. An absent one is every rule's concern that has a say on absence. */
export function all<T>(...rules: readonly Rule<T>[]): Rule<T> {
  const onAbsence = rules.flatMap(({ whenAbsent }) => whenAbsent ?? []);
  const every: Rule<T> = (value, at, report) => {
    for (const rule of rules) rule(value, at, report);
  };
  if (onAbsence.length === 0) return every;
  return withAbsence(every, (at, report) => {
    for (const rule of onAbsence) rule(at, report);
  });
}

/** The field must be there: no empty text, no empty list. */
export function required<T>(rule: Rule<T> = anything, detail = ""): Rule<T> {
  return withAbsence(
    (value, at, report) => {
      if (Array.isArray(value) && value.length === 0) report.required(at, detail);
      else rule(value, at, report);
    },
    (at, report) => report.required(at, detail),
  );
}

/** An absent field counts as having this value, as numbers do that are 0 when nobody set them. */
export function absentAs<T>(value: NoInfer<T>, rule: Rule<T>): Rule<T> {
  return withAbsence(rule, (at, report) => rule(value, at, report));
}

/** Each item of a list. */
export function each<T>(rule: Rule<T>): Rule<readonly T[]> {
  return (list, at, report) => {
    for (let position = 0; position < list.length; position += 1) {
      const item = list[position] as T;
      if (isValue(rule, item)) rule(item, at.item(position), report);
      else rule.whenAbsent?.(at.item(position), report);
    }
  };
}

/** No two items have the same key. @param of what the error shows and where it stands: the item itself where absent */
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

/** Each entry of a map, at `map[key]`. */
export function eachEntry<T>(
  rule: (key: string, value: T, at: Place, report: Report) => void,
): Rule<{ readonly [key: string]: T }> {
  return (map, at, report) => {
    for (const key of Object.keys(map)) rule(key, map[key] as T, at.key(key), report);
  };
}

/** A rule that holds only sometimes. */
function _when<T>(condition: (value: T) => boolean, rule: Rule<T>): Rule<T> {
  return (value, at, report) => {
    if (condition(value)) rule(value, at, report);
  };
}

/** The field may not be there. */
export const forbidden =
  (detail: string): Rule<unknown> =>
  (_value, at, report) =>
    report.forbidden(at, detail);

/** Of exactly this many fields one must be set. What is wrong otherwise is said of the object that holds them. */
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

function withAbsence<T>(rule: Rule<T>, whenAbsent: (at: Place, report: Report) => void): Rule<T> {
  const both: Rule<T> = (value, at, report) => rule(value, at, report);
  return Object.assign(both, { whenAbsent });
}
