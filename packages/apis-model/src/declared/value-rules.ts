// Declared rules of single values. Source: staging/src/k8s.io/apimachinery/pkg/api/validate.
import type { DeclaredField, DeclaredRule, JsonObject, JsonValue } from "@orch/schema";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import type { Rule } from "../model/rules/rule";
import { DECLARED_FORMATS } from "./declared-formats";
import { isZero, NO_OLD, type Old } from "./old-value";

/** Rule of a field that runs before the others. Returns whether it is broken: the others do not run then. */
export type FirstRule = (value: unknown, old: Old, at: Place, report: Report) => boolean;

/** Compiles a rule that runs before the others. @returns undefined for other rules */
export function firstRule(rule: DeclaredRule, field: DeclaredField): FirstRule | undefined {
  const isPointer = field.pointer === true;
  switch (rule.is) {
    case "required":
      return (value, _old, at, report) => {
        if (!isZero(value, isPointer)) return false;
        report.required(at, rule.detail);
        return true;
      };
    case "forbidden":
      return (value, _old, at, report) => {
        if (isZero(value, isPointer)) return false;
        report.forbidden(at, "");
        return true;
      };
    case "immutable":
      return (value, old, at, report) => {
        if (old === NO_OLD) return false;
        if (rule.detail === undefined) report.immutable(at, value);
        else report.invalid(at, value ?? null, rule.detail);
        return true;
      };
    case "maxItems":
      return (value, _old, at, report) => {
        const count = Array.isArray(value) ? value.length : 0;
        if (count <= rule.limit) return false;
        report.tooMany(at, { count, max: rule.limit });
        return true;
      };
    case "update":
      return updateRule(rule, field);
    default:
      return undefined;
  }
}

type UpdateLimit = Extract<DeclaredRule, { is: "update" }>;

/** A rule with a text reports a forbidden value. */
function updateRule({ forbids, detail: text }: UpdateLimit, field: DeclaredField): FirstRule {
  const isPointer = field.pointer === true;
  const when =
    (isBroken: (value: unknown, old: unknown) => boolean, detail: string): FirstRule =>
    (value, old, at, report) => {
      if (old === NO_OLD || !isBroken(value, old)) return false;
      if (text === undefined) report.invalid(at, value ?? null, detail);
      else report.forbidden(at, text);
      return true;
    };
  const isSet = (value: unknown) => !isZero(value, isPointer);
  switch (forbids) {
    case "NoSet":
      return when((value, old) => isSet(value) && !isSet(old), "field cannot be set once created");
    case "NoUnset":
      return when((value, old) => !isSet(value) && isSet(old), "field cannot be cleared once set");
    case "NoModify":
      return when((value, old) => isSet(value) && isSet(old), "field cannot be modified once set");
    case "NoAddItem":
      return when((value, old) => hasMore(value, old, field), "items cannot be added");
    case "NoRemoveItem":
      return when((value, old) => hasMore(old, value, field), "items cannot be removed");
  }
}

/** Returns whether a list has an item whose key no item of the other list has. */
function hasMore(list: unknown, than: unknown, { keys = [] }: DeclaredField): boolean {
  const known = new Set(itemsOf(than).map((item) => keyOf(item, keys)));
  return itemsOf(list).some((item) => !known.has(keyOf(item, keys)));
}

export const itemsOf = (list: unknown): readonly JsonValue[] => (Array.isArray(list) ? list : []);

/** Returns a text that is equal for items with equal keys. Without keys, the item is its own key. */
export function keyOf(item: JsonValue, keys: readonly string[]): string {
  if (keys.length === 0) return JSON.stringify(item);
  const { [keys[0] as string]: first, ...rest } = item as JsonObject;
  return keys.length === 1
    ? String(first ?? "")
    : JSON.stringify([first ?? "", ...keys.slice(1).map((key) => rest[key] ?? "")]);
}

/** Compiles a rule of a present value. @returns undefined for other rules */
export function valueRule(rule: DeclaredRule): Rule<unknown> | undefined {
  switch (rule.is) {
    case "minimum":
      return (value, at, report) => {
        if (Number(value) < rule.limit) report.invalid(at, value, `must be greater than or equal to ${rule.limit}`);
      };
    case "maximum":
      return (value, at, report) => {
        if (Number(value) > rule.limit) report.invalid(at, value, `must be less than or equal to ${rule.limit}`);
      };
    case "maxLength":
      return (value, at, report) => {
        const text = String(value);
        if (text.length > rule.limit && [...text].length > rule.limit) report.tooLong(at, rule.limit);
      };
    case "maxBytes":
      return (value, at, report) => {
        if (Buffer.byteLength(String(value)) > rule.limit) report.tooLong(at, rule.limit);
      };
    case "neq":
      return (value, at, report) => {
        if (value === rule.value) report.invalid(at, value, `must not be equal to ${JSON.stringify(rule.value)}`);
      };
    case "format":
      return DECLARED_FORMATS[rule.format] as Rule<unknown>;
    case "enum":
    case "discriminator":
      return oneOfWords(rule.values);
    case "unique":
      return distinct(rule.keys ?? []);
    default:
      return undefined;
  }
}

function oneOfWords(values: readonly string[]): Rule<unknown> {
  const listed = [...values].sort();
  return (value, at, report) => {
    if (!values.includes(String(value))) report.notSupported(at, value, listed);
  };
}

function distinct(keys: readonly string[]): Rule<unknown> {
  return (list, at, report) => {
    const seen = new Set<string>();
    itemsOf(list).forEach((item, position) => {
      const key = keyOf(item, keys);
      if (seen.has(key)) report.duplicate(at.item(position), keys.length === 1 ? key : item);
      seen.add(key);
    });
  };
}
