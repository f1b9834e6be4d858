// The specification of an object that is being changed.
import { isObject, type JsonObject } from "@orch/schema";

/** Made where there is none. */
export function writableSpec(object: JsonObject | undefined): JsonObject {
  const spec = object?.["spec"];
  if (isObject(spec)) return spec;
  const made: JsonObject = {};
  if (object !== undefined) object["spec"] = made;
  return made;
}
