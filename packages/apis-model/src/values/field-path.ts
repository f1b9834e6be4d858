// Access to fields of nested objects by path. A path does not lead through lists.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/** Field names separated by dots: `spec`, `metadata.labels`. */
export type FieldPath = string;

/** A split path. */
export type FieldNames = readonly string[];

export const fieldNames = (path: FieldPath): FieldNames => path.split(".");

/** Returns the value at a path; undefined when the field or a parent is absent. */
export function fieldAt(object: JsonObject, names: FieldNames): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of names) {
    if (!isObject(at)) return undefined;
    at = at[name];
  }
  return at;
}

/**
 * Copies the value at a path from one object to another, or removes it when it is absent. The value is shared, not
 * cloned.
 */
export function copyField(to: JsonObject, from: JsonObject, names: FieldNames): void {
  const value = fieldAt(from, names);
  let parent = to;
  for (let depth = 0; depth < names.length - 1; depth++) {
    const name = names[depth] as string;
    const child = parent[name];
    if (isObject(child)) {
      parent = child;
      continue;
    }
    if (value === undefined) return;
    parent = parent[name] = {};
  }
  const last = names[names.length - 1] as string;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
}

/** Returns the object at a field, and creates it when it is absent. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const found = object[field];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[field] = made;
  return made;
}

/** Returns the objects of a list; empty when there is no list. */
export function objectsAt(object: JsonObject, field: string): JsonObject[] {
  const found = object[field];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Removes a field and returns its value. */
export function takeField(object: JsonObject, field: string): JsonValue | undefined {
  const value = object[field];
  delete object[field];
  return value;
}
