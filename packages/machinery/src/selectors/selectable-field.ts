// Selectable fields as data: with its path, a field can also be found in the bytes of an object.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface SelectableField {
  /** Paths of member names. The first path with a value is used. Empty: the field matches no value. */
  readonly paths: readonly (readonly string[])[];
  readonly type: keyof typeof ABSENT;
  /** Text of an absent value or one of another type. Absent: the zero value of the type, as in built-in resources. */
  readonly absent?: "";
  /** Converts a stored object to the one to which the paths apply. Absent: the stored object itself. */
  readonly through?: (object: JsonObject) => JsonObject;
}

const ABSENT = { string: "", number: "0", boolean: "false" } as const;

/** Returns the text of a field that is absent or of another type. */
export const absentText = ({ type, absent }: SelectableField): string => absent ?? ABSENT[type];

/**
 * Returns the text of a field.
 * @param object in the storage version; not modified
 */
export function selectableText(field: SelectableField, object: JsonObject): string {
  const source = field.through?.(object) ?? object;
  const absent = absentText(field);
  for (const path of field.paths) {
    const text = textOfField(field, valueAt(source, path));
    if (text !== absent) return text;
  }
  return absent;
}

/**
 * Returns the text of a field's value.
 * @param value the value at a path; undefined when absent
 */
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
