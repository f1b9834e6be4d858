// Sets the defaults of absent fields.
import { type JsonArray, type JsonObject, type JsonValue, memberOf, setMember } from "../json/json-value";
import type { Field, ItemNulls, ListType, MapType, RuntimeType, StructType } from "../types/runtime-type";
import { isEmpty } from "../types/zero-value";

/**
 * Sets defaults in place, in every existing struct of the object; no struct is created. Values that protobuf cannot
 * distinguish from absent ones, such as an empty string in a field that is not a pointer, count as absent.
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

/** Reports whether a field has a default. One that JSON omits has no effect. */
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

/** Returns the fields with a default in or below them, so that the walk skips the others. */
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
