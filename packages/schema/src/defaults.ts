// Gives absent fields the defaults that their types declare.
import type { JsonArray, JsonObject, JsonValue } from "./json";
import { memberOf, setMember } from "./json-member";
import type { Field, ItemNulls, ListType, MapType, RuntimeType, StructType } from "./runtime-type";
import { isEmpty } from "./zero-value";

/**
 * Sets defaults in place, into every struct that the object holds; it makes no struct that is not there.
 * Values that the wire cannot tell from absent ones (an empty string that is no pointer) count as absent.
 */
export function applyDefaults(type: StructType, object: JsonObject): void {
  for (const field of defaultedFields(type)) {
    const given = memberOf(object, field.name);
    const value = isAbsent(field, given) && hasDefault(field) ? freshDefault(field) : given;
    if (value === undefined || value === null) continue;
    if (value !== given) setMember(object, field.name, value);
    applyInside(field.type, value);
  }
}

function isAbsent(field: Field, value: JsonValue | undefined): boolean {
  if (value === null) return field.nullable !== true;
  return value === undefined || (!field.isPointer && hasDefault(field) && isEmpty(value));
}

function freshDefault({ default: value }: { readonly default?: JsonValue }): JsonValue | undefined {
  return typeof value === "object" ? structuredClone(value) : value;
}

/** A default that JSON leaves out again is none. */
function hasDefault(field: Field): boolean {
  return field.default !== undefined && !(field.emission.dropsEmpty && isEmpty(field.default));
}

function applyInside(type: RuntimeType, value: JsonValue): void {
  if (typeof value !== "object" || value === null) return;
  switch (type.kind) {
    case "struct":
      if (!Array.isArray(value)) applyDefaults(type, value);
      return;
    case "list":
      if (Array.isArray(value)) applyToItems(type, value);
      return;
    case "map":
      if (!Array.isArray(value)) applyToEntries(type, value);
      return;
    case "either":
      applyInside(Array.isArray(value) ? type.other : type.object, value);
      return;
    default:
      return;
  }
}

function applyToItems({ element, nulls }: ListType, items: JsonArray): void {
  for (let at = 0; at < items.length; at += 1) {
    if (items[at] === null && nulls?.are === "absent") items[at] = freshDefault(nulls) ?? null;
    applyInside(element, items[at] as JsonValue);
  }
}

function applyToEntries({ value: type, nulls }: MapType, entries: JsonObject): void {
  for (const key of Object.keys(entries)) {
    if (entries[key] === null && nulls?.are === "absent") setMember(entries, key, freshDefault(nulls) ?? null);
    applyInside(type, entries[key] as JsonValue);
  }
}

const NONE: readonly Field[] = [];
const known = new WeakMap<StructType, readonly Field[]>();

/** The fields that have a default or lead to one, so that the walk goes nowhere else. */
function defaultedFields(type: StructType): readonly Field[] {
  if (type.leadsToDefault === false) return NONE;
  let fields = known.get(type);
  if (fields === undefined) {
    fields = type.fields.filter((field) => hasDefault(field) || leadsToDefault(field.type, new Set([type])));
    known.set(type, fields);
  }
  return fields;
}

function leadsToDefault(type: RuntimeType, seen: Set<StructType>): boolean {
  switch (type.kind) {
    case "struct":
      if (type.leadsToDefault !== undefined) return type.leadsToDefault;
      if (seen.has(type)) return false;
      seen.add(type);
      return type.fields.some((field) => hasDefault(field) || leadsToDefault(field.type, seen));
    case "list":
      return defaultsNulls(type.nulls) || leadsToDefault(type.element, seen);
    case "map":
      return defaultsNulls(type.nulls) || leadsToDefault(type.value, seen);
    case "either":
      return leadsToDefault(type.object, seen) || leadsToDefault(type.other, seen);
    default:
      return false;
  }
}

const defaultsNulls = (nulls: ItemNulls | undefined): boolean => nulls?.are === "absent" && nulls.default !== undefined;
