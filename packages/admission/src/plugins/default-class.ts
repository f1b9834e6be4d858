// Default class among the classes of a cluster.

import { metaOf, nameOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";

/**
 * Finds the default classes.
 * @param annotations keys that mark a default
 * @returns their names, the newest first, ordered by name when they have the same creation time
 */
export function defaultClasses(classes: readonly JsonObject[], annotations: readonly string[]): readonly string[] {
  return classes
    .filter((each) => isDefault(each, annotations))
    .sort((one, other) => compare(madeAt(other), madeAt(one)) || compare(nameOf(one), nameOf(other)))
    .map(nameOf);
}

/** Returns the spec of an object that is being mutated, and adds an empty one when there is none. */
export function writableSpec(object: JsonObject | undefined): JsonObject {
  const spec = object?.["spec"];
  if (isObject(spec)) return spec;
  const made: JsonObject = {};
  if (object !== undefined) object["spec"] = made;
  return made;
}

function isDefault(of: JsonObject, keys: readonly string[]): boolean {
  const { annotations = {} } = metaOf(of);
  return keys.some((key) => annotations[key] === "true");
}

/** Creation time in RFC 3339, whole seconds, UTC: its text order is the order of time. */
const madeAt = (of: JsonObject): string => metaOf(of).creationTimestamp ?? "";

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
