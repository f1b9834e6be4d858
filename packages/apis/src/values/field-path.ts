// Fields of nested objects by path. Lists are never on a path.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/** Names of nested objects' fields with dots between: `spec`, `metadata.labels`. */
export type FieldPath = string;

/** A path, split once. */
export type FieldNames = readonly string[];

export const fieldNames = (path: FieldPath): FieldNames => path.split(".");

/** @returns undefined where the field or one of the objects around it is absent */
export function fieldAt(object: JsonObject, names: FieldNames): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of names) {
    if (!isObject(at)) return undefined;
    at = at[name];
  }
  return at;
}

/** Gives the object the other's value at a path, or none where the other has none. The value is shared, not copied. */
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

/** The object at a field, made where there is none. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const found = object[field];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[field] = made;
  return made;
}

/** The objects of a list; nothing where there is no list. */
export function objectsAt(object: JsonObject, field: string): JsonObject[] {
  const found = object[field];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Takes a field off an object and returns what it held. */
export function takeField(object: JsonObject, field: string): JsonValue | undefined {
  const value = object[field];
  delete object[field];
  return value;
}
