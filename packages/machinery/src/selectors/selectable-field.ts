// The fields by which objects can be selected, as data: where each is, so that it can be found in an object's bytes, too.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface SelectableField {
  /** Where it is in an object, by the names of members; of several places the first that holds something counts. None: it matches no value. */
  readonly paths: readonly (readonly string[])[];
  readonly type: keyof typeof ABSENT;
  /** The text where it is absent, or of another type. Absent: that of the type's zero, as built-in kinds have it. */
  readonly absent?: "";
  /** From a stored object to the one in which the paths lead there. Absent: the same. */
  readonly through?: (object: JsonObject) => JsonObject;
}

const ABSENT = { string: "", number: "0", boolean: "false" } as const;

/** The text of a field that is absent, or of another type. */
export const absentText = ({ type, absent }: SelectableField): string => absent ?? ABSENT[type];

/** @param object in the storage version; left as it is */
export function selectableText(field: SelectableField, object: JsonObject): string {
  const source = field.through?.(object) ?? object;
  const absent = absentText(field);
  for (const path of field.paths) {
    const text = textOfField(field, valueAt(source, path));
    if (text !== absent) return text;
  }
  return absent;
}

/** @param value that a path leads to; undefined: nothing */
export function textOfField(field: SelectableField, value: JsonValue | undefined): string {
  return typeof value === field.type ? String(value) : absentText(field);
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = object;
  for (const name of path) {
    if (!isObject(at)) return undefined;
    at = (at as JsonObject)[name];
  }
  return at;
}
