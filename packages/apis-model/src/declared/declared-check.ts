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
import { isSet, type RuledField, type StructRule, structRules } from "./struct-rules";
import { type FirstRule, firstRule, itemsOf, keyOf, valueRule } from "./value-rules";

/** Checks an object. The stored one is absent on create. */
export type DeclaredCheck = StructRule;

export interface DeclaredOptions {
  /** Set to also run the rules that code of the kinds enforces. */
  readonly inCode?: true;
  /** Returns the fields of a type, as `declaredFields` does. */
  readonly fieldsOf?: typeof declaredFields;
}

/** Compiles the checks of types, each at its first use. */
export class DeclaredChecks {
  private readonly features: Features;
  private readonly options: DeclaredOptions;
  private readonly known = new Map<string, DeclaredCheck | undefined>();

  constructor(features: Features, options: DeclaredOptions = {}) {
    this.features = features;
    this.options = options;
  }

  /** Returns the check of a type; undefined when it has no declared rules in force. @param type "<file>.<Type>" */
  of(type: string): DeclaredCheck | undefined {
    if (this.known.has(type)) return this.known.get(type);
    const dot = type.lastIndexOf(".");
    const fields = (this.options.fieldsOf ?? declaredFields)(type.slice(0, dot), type.slice(dot + 1));
    let check: DeclaredCheck | undefined;
    // A type may contain itself. While it is compiled, its check stands for the one that will be complete.
    this.known.set(type, (object, old, at, report) => check?.(object, old, at, report));
    check = fields && this.struct(fields);
    this.known.set(type, check);
    return check;
  }

  private struct(fields: readonly DeclaredField[]): DeclaredCheck | undefined {
    const ruled = fields
      .filter(({ since }) => since === undefined || this.features.since(since))
      .map((field): RuledField => ({ ...field, rules: (field.rules ?? []).flatMap((rule) => this.inForce(rule)) }));
    const whole = structRules(ruled);
    const checks = ruled
      .map((field) => unlessSet(field, ruled, this.field(field)))
      .filter((check) => check !== undefined);
    if (whole.length === 0 && checks.length === 0) return undefined;
    return (object, old, at, report) => {
      for (const rule of whole) rule(object, old, at, report);
      for (const check of checks) check(object, old, at, report);
    };
  }

  /** Returns the rule without its conditions; nothing when they do not hold. */
  private inForce(rule: DeclaredRule): readonly DeclaredRule[] {
    const { since, before, inCode } = rule;
    if (inCode === true && this.options.inCode !== true) return [];
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
    const checksAbsent = isValueStruct || rules.some(({ is }) => CONCERNS_ABSENT.has(is));
    // A part of an object without rules of its own only leads to its fields, which are compared one by one.
    const leads = field.type !== undefined && this.of(field.type) !== undefined;
    const isBranch = leads && shape === undefined && first.length === 0 && parts.length === 1;
    return (object, old, at, report) => {
      const value = object[name];
      if (value === undefined && !checksAbsent) return;
      const given = isValueStruct ? (value ?? {}) : value;
      const stored = old === undefined ? NO_OLD : isValueStruct ? (old[name] ?? {}) : old[name];
      if (isBranch ? given === stored : isUnchanged(given, stored, isPointer)) return;
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
    const subfields = field.rules.flatMap((rule) => (rule.is === "subfield" ? [this.subfield(rule)] : []));
    return [
      ...values,
      ...subfields,
      ...(items.length === 0 ? [] : [atMostOne(items)]),
      ...(keys.length === 0 ? [] : [eachKey(keys)]),
      ...(each.length === 0 ? [] : [eachScalar(each, field)]),
      ...(struct === undefined ? [] : [nested(struct, field)]),
    ];
  }

  /** Compiles a rule of one field of the value. The rule may be any that a field can have. */
  private subfield({ field: name, of }: Extract<DeclaredRule, { is: "subfield" }>): PartCheck {
    const check = this.field({ name, rules: this.inForce(of) });
    return (value, old, at, report) => {
      if (isObject(value)) check?.(value, isStored(old) ? old : undefined, at, report);
    };
  }
}

/** Leaves out the check of a field while a field that excludes it is set. */
function unlessSet({ rules }: RuledField, fields: readonly RuledField[], check: StructRule | undefined) {
  const names = rules.flatMap((rule) => (rule.is === "unlessSet" ? [rule.field] : []));
  if (check === undefined || names.length === 0) return check;
  const others = fields.filter(({ name }) => names.includes(name));
  const checked: StructRule = (object, old, at, report) => {
    if (!others.some((other) => isSet(object, other))) check(object, old, at, report);
  };
  return checked;
}

/** Rules that an absent value may break. */
const CONCERNS_ABSENT: ReadonlySet<DeclaredRule["is"]> = new Set(["required", "immutable", "update"]);

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
