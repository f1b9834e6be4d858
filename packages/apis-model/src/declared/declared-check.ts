// Compiles the declared rules of a type to functions for one set of features. Rules of other releases and of gates that
// are in the other position are left out, so that a check costs a look at each field that has rules.
import {
  type DeclaredField,
  type DeclaredRule,
  declaredFields,
  isObject,
  type JsonObject,
  type JsonValue,
} from "@orch/schema";
import type { Features } from "../model/features/features";
import { FIELD_GATES, type FieldGate } from "../model/features/field-gates";
import type { Place } from "../model/rules/place";
import type { Report } from "../model/rules/report";
import type { Rule } from "../model/rules/rule";
import { isUnchanged, isZero, NO_OLD, type Old } from "./old-value";
import { type RuledField, type StructRule, structRules } from "./struct-rules";
import { type FirstRule, firstRule, itemsOf, keyOf, valueRule } from "./value-rules";

/** Checks an object. The stored one is absent on create. */
export type DeclaredCheck = StructRule;

/** Compiles the checks of types, each at its first use. */
export class DeclaredChecks {
  private readonly features: Features;
  private readonly known = new Map<string, DeclaredCheck>();

  constructor(features: Features) {
    this.features = features;
  }

  /** Returns the check of a type; undefined when it has no declared rules. @param type "<file>.<Type>" */
  of(type: string): DeclaredCheck | undefined {
    const dot = type.lastIndexOf(".");
    const fields = declaredFields(type.slice(0, dot), type.slice(dot + 1));
    return fields && this.compiled(type, fields);
  }

  /** A type may contain itself: its check is compiled when the first object reaches it. */
  private compiled(type: string, fields: readonly DeclaredField[]): DeclaredCheck {
    const known = this.known.get(type);
    if (known !== undefined) return known;
    let check: DeclaredCheck | undefined;
    const lazy: DeclaredCheck = (object, old, at, report) => {
      check ??= this.struct(fields);
      check(object, old, at, report);
    };
    this.known.set(type, lazy);
    return lazy;
  }

  private struct(fields: readonly DeclaredField[]): DeclaredCheck {
    const ruled = fields
      .filter(({ since }) => since === undefined || this.features.since(since))
      .map((field): RuledField => ({ ...field, rules: (field.rules ?? []).flatMap((rule) => this.inForce(rule)) }));
    const whole = structRules(ruled);
    const checks = ruled.map((field) => this.field(field)).filter((check) => check !== undefined);
    return (object, old, at, report) => {
      for (const rule of whole) rule(object, old, at, report);
      for (const check of checks) check(object, old, at, report);
    };
  }

  /** Returns the rule without its conditions; nothing when they do not hold. */
  private inForce(rule: DeclaredRule): readonly DeclaredRule[] {
    const { since, before } = rule;
    if (since !== undefined && !this.features.since(since)) return [];
    if (before !== undefined && this.features.since(before)) return [];
    if (rule.is !== "gate") return [rule];
    return this.features.isOn(gateOf(rule.gate)) === rule.on ? this.inForce(rule.of) : [];
  }

  private field(field: RuledField): StructRule | undefined {
    const { name, shape, rules } = field;
    const isPointer = field.pointer === true && shape === undefined;
    const isValueStruct = field.type !== undefined && !isPointer && shape === undefined;
    const first = rules.flatMap((rule) => firstRule(rule, field) ?? []);
    const parts = this.parts(field);
    if (first.length === 0 && parts.length === 0) return undefined;
    const checksAbsent = first.length > 0 || isValueStruct;
    return (object, old, at, report) => {
      const value = object[name];
      if (value === undefined && !checksAbsent) return;
      const given = isValueStruct ? (value ?? {}) : value;
      const stored = old === undefined ? NO_OLD : isValueStruct ? (old[name] ?? {}) : old[name];
      if (isUnchanged(given, stored, isPointer)) return;
      const place = at.field(name);
      if (isBroken(first, given, stored, place, report)) return;
      if (!isValueStruct && isAbsent(given, isPointer)) return;
      for (const part of parts) part(given as JsonValue, stored, place, report);
    };
  }

  /** Returns the rules of a present value, and the checks of its parts. */
  private parts(field: RuledField): readonly PartCheck[] {
    const values = field.rules.flatMap((rule) => valueRule(rule) ?? []).map(ofValue);
    const items = field.rules.flatMap((rule) => (rule.is === "oneOfItems" ? [rule] : []));
    const each = field.rules.flatMap((rule) => (rule.is === "eachVal" ? (valueRule(rule.of) ?? []) : []));
    const keys = field.rules.flatMap((rule) => (rule.is === "eachKey" ? (valueRule(rule.of) ?? []) : []));
    const struct = field.type === undefined ? undefined : this.of(field.type);
    return [
      ...values,
      ...(items.length === 0 ? [] : [atMostOne(items)]),
      ...(keys.length === 0 ? [] : [eachKey(keys)]),
      ...(each.length === 0 ? [] : [eachScalar(each, field)]),
      ...(struct === undefined ? [] : [nested(struct, field)]),
    ];
  }
}

type PartCheck = (value: JsonValue, old: Old, at: Place, report: Report) => void;

const ofValue =
  (rule: Rule<unknown>): PartCheck =>
  (value, _old, at, report) =>
    rule(value, at, report);

/** Numbers and booleans are present even when they are zero. */
const isAbsent = (value: unknown, isPointer: boolean): boolean =>
  typeof value !== "number" && typeof value !== "boolean" && isZero(value, isPointer);

/** Runs all of the rules. */
function isBroken(rules: readonly FirstRule[], value: unknown, old: Old, at: Place, report: Report): boolean {
  let broken = false;
  for (const rule of rules) broken = rule(value, old, at, report) || broken;
  return broken;
}

function gateOf(name: string): FieldGate {
  if (!Object.hasOwn(FIELD_GATES, name)) throw new Error(`a declared rule names the unknown feature gate ${name}`);
  return name as FieldGate;
}

/** Checks the parts of an object, a list or a map. Items are compared with the stored item of the same key. */
function nested(struct: DeclaredCheck, { shape, keys }: RuledField): PartCheck {
  if (shape === "list") {
    return (list, old, at, report) => {
      const stored = keys === undefined ? undefined : byKey(old, keys);
      itemsOf(list).forEach((item, position) => {
        if (!isObject(item)) return;
        const before = stored?.get(keyOf(item, keys ?? []));
        if (before === undefined || !isUnchanged(item, before, false)) struct(item, before, at.item(position), report);
      });
    };
  }
  if (shape === "map") {
    return (map, old, at, report) => {
      for (const [key, item] of Object.entries(map as JsonObject)) {
        const before = memberOf(old, key);
        if (isObject(item) && !isUnchanged(item, before ?? NO_OLD, false)) struct(item, before, at.key(key), report);
      }
    };
  }
  return (value, old, at, report) => {
    if (isObject(value)) struct(value, isStored(old) ? old : undefined, at, report);
  };
}

const isStored = (old: Old): old is JsonObject => old !== NO_OLD && isObject(old);

function byKey(old: Old, keys: readonly string[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of itemsOf(old)) if (isObject(item)) found.set(keyOf(item, keys), item);
  return found;
}

function memberOf(old: Old, key: string): JsonObject | undefined {
  const member = isStored(old) && Object.hasOwn(old, key) ? old[key] : undefined;
  return isObject(member) ? member : undefined;
}

/** Checks each value of a list. Values of a stored set are not checked again. */
function eachScalar(rules: readonly Rule<unknown>[], { isSet }: RuledField): PartCheck {
  return (list, old, at, report) => {
    const stored = isSet ? new Set(itemsOf(old)) : undefined;
    itemsOf(list).forEach((item, position) => {
      if (stored?.has(item)) return;
      for (const rule of rules) rule(item, at.item(position), report);
    });
  };
}

/** Checks the keys of a map. Errors are reported at the map. */
function eachKey(rules: readonly Rule<unknown>[]): PartCheck {
  return (map, old, at, report) => {
    for (const key of Object.keys(map as JsonObject)) {
      if (isStored(old) && Object.hasOwn(old, key)) continue;
      for (const rule of rules) rule(key, at, report);
    }
  };
}

/** Accepts at most one of the items that the rules name. */
function atMostOne(rules: readonly { readonly field: string; readonly value: string }[]): PartCheck {
  const found = (list: unknown) =>
    rules.filter(({ field, value }) => itemsOf(list).some((item) => isObject(item) && item[field] === value));
  const wanted = rules.map(({ field, value }) => `\`${field}\` ${value}`).join(", ");
  return (list, old, at, report) => {
    const set = found(list);
    if (set.length <= 1) return;
    if (old !== NO_OLD && found(old).length === set.length) return;
    report.invalid(at, `{${set.map(({ value }) => value).join(", ")}}`, `must have at most one of: ${wanted}`);
  };
}
