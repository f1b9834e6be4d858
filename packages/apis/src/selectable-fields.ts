// How a selectable field's text is read from an object. Source: facts, strategy.json "fieldSelectors".
import type { JsonObject } from "@orch/schema";
import type { FieldPath } from "./built-in-resource";
import { fieldAt, fieldNames } from "./field-path";

type FieldReader = (object: JsonObject) => string;

/** A text; "" where absent. */
export function text(path: FieldPath): FieldReader {
  const names = fieldNames(path);
  return (object) => {
    const value = fieldAt(object, names);
    return typeof value === "string" ? value : "";
  };
}

/** A whole number; "0" where absent. */
export function count(path: FieldPath): FieldReader {
  const names = fieldNames(path);
  return (object) => {
    const value = fieldAt(object, names);
    return typeof value === "number" ? String(value) : "0";
  };
}

/** "true" or "false"; "false" where absent. */
export function flag(path: FieldPath): FieldReader {
  const names = fieldNames(path);
  return (object) => String(fieldAt(object, names) === true);
}

/** A label that is accepted and matches no value. */
export const nothing: FieldReader = () => "";
