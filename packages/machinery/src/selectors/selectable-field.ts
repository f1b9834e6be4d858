// The fields by which objects can be selected, as data: where each is, so that it can be found in an object's bytes, too.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface SelectableField {
  /** Where it is in an object, by the names of members; of several places the first that holds something counts. None: it matches no value. */
  readonly paths: readonly (readonly string[])[];
  readonly type: keyof typeof ABSENT;
  /** From a stored object to the one in which the paths lead there. Absent: the same. */
  readonly through?: (object: JsonObject) => JsonObject;
}

/** The text of a field that is absent, or of another type. */
export const ABSENT = { string: "", number: "0", boolean: "false" } as const;

/** @param object in the storage version; left as it is */
export function selectableText({ paths, type, through }: SelectableField, object: JsonObject): string {
  const source = through?.(object) ?? object;
  for (const path of paths) {
    const text = textOfType(type, valueAt(source, path));
    if (text !== ABSENT[type]) return text;
  }
  return ABSENT[type];
}

/** @param value that a path leads to; undefined: nothing */
export function textOfType(type: SelectableField["type"], value: JsonValue | undefined): string {
  return typeof value === type ? String(value) : ABSENT[type];
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of path) {
    if (!isObject(at)) return undefined;
    at = (at as JsonObject)[name];
  }
  return at;
}
