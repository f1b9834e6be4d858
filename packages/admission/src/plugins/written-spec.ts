// Spec of an object that is being mutated.
import { isObject, type JsonObject } from "@orch/schema";

/** Returns the spec, and adds an empty one when there is none. */
export function writableSpec(object: JsonObject | undefined): JsonObject {
  const spec = object?.["spec"];
  if (isObject(spec)) return spec;
  const made: JsonObject = {};
  if (object !== undefined) object["spec"] = made;
  return made;
}
