// Annotations that carry fields which a version does not have, as JSON text.
import { isObject, JsonError, type JsonObject, type JsonValue, parseJson, writeJson } from "@orch/schema";
import { objectAt } from "./field-path";

/** Sets the annotation to a value; does nothing for undefined. */
export function putAnnotation(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) return;
  objectAt(objectAt(object, "metadata"), "annotations")[name] = writeJson(value);
}

/** Removes the annotation and returns its value. Text that is not JSON belongs to the client and stays. */
export function takeAnnotation(object: JsonObject, name: string): JsonValue | undefined {
  const { metadata } = object;
  const annotations = isObject(metadata) ? metadata["annotations"] : undefined;
  if (!isObject(metadata) || !isObject(annotations)) return undefined;
  const value = parsed(annotations[name]);
  if (value === undefined) return undefined;
  delete annotations[name];
  if (Object.keys(annotations).length === 0) delete metadata["annotations"];
  return value;
}

function parsed(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}
