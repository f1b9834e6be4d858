// Lays a configuration over an object and keeps no account of who owns what, as policies do.
// Source: facts, ssa.md "Apply(live, config, …)", step 1; the field's rules for mutating policies.
import { isObject, type JsonObject, type JsonValue, type StructType } from "@orch/schema";
import { unclassified } from "../errors/server-errors";
import { readApplied } from "./applied-value";
import { mergeObjects } from "./merge";
import { type MergeShape, memberShape, rootShape } from "./merge-shape";

/**
 * @param config left as it is, as is `live`
 * @returns a new object; parts that stay are those of `live`
 * @throws StatusError, unclassified (500), for what is not of the type, and for what can only be replaced as a whole: most of it would be lost
 */
export function laidOver(type: StructType, live: JsonObject, config: JsonObject): JsonObject {
  const applied = readApplied(type, config);
  const shape = rootShape(type);
  const atomic = atomicPaths(shape, applied);
  if (atomic.length > 0) throw unclassified(`may not mutate atomic arrays, maps or structs: ${atomic.join(", ")}`);
  return mergeObjects(shape, live, applied);
}

/** Of lists and objects that merge as one value. */
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
