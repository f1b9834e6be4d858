// Merges a configuration into an object without tracking ownership, as mutating admission policies do. Source: KEP-3962
// (mutating admission policies).
import { isObject, type JsonObject, type JsonValue, type StructType } from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import { readApplied } from "./applied-value";
import { mergeObjects } from "./merge";
import { type MergeShape, memberShape, rootShape } from "./merge-shape";

/**
 * Merges a configuration into an object.
 * @param config not modified, nor is `live`
 * @returns a new object; unchanged parts are shared with `live`
 * @throws StatusError, unclassified (500), for a value that does not fit the type, and for atomic lists, maps and
 * structs: replacing them would lose most of their content
 */
export function laidOver(type: StructType, live: JsonObject, config: JsonObject): JsonObject {
  const applied = readApplied(type, config);
  const shape = rootShape(type);
  const atomic = atomicPaths(shape, applied);
  if (atomic.length > 0) throw unclassified(`may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`);
  return mergeObjects(shape, live, applied);
}

/** Returns the paths of lists and objects in `value` that are replaced as a whole. */
function atomicPaths(shape: MergeShape, value: JsonValue, path = ""): readonly string[] {
  switch (shape.kind) {
    case "leaf":
      return typeof value === "object" && value !== null ? [path] : [];
    case "untracked":
    case "set":
      return [];
    case "items":
      return Array.isArray(value) ? value.flatMap((item) => atomicPaths(shape.item, item, path)) : [];
    case "struct":
    case "map":
    case "deduced":
      return isObject(value)
        ? Object.entries(value).flatMap(([name, member]) => {
            const below = memberShape(shape, name);
            return below === undefined ? [] : atomicPaths(below, member, `${path}.${name}`);
          })
        : [];
  }
}
