// Converts CEL values to JSON.
import type { JsonValue } from "@orch/schema";
import { CelList, CelMap, type CelValue, OptionalValue } from "./cel-value";
import type { Steps } from "./equality";
import { StructValue } from "./struct-value";

/** Maximum nesting of a converted value. */
const DEPTH_MAX = 32;

/**
 * Converts a value.
 * @returns undefined for a value that JSON cannot represent
 */
export function jsonOf(value: CelValue, budget: Steps, depth = 0): JsonValue | undefined {
  if (depth > DEPTH_MAX) return undefined;
  budget.step(1);
  switch (typeof value) {
    case "boolean":
    case "string":
    case "number":
      return value;
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (value === null) return null;
  if (value instanceof OptionalValue) return value.value === undefined ? null : jsonOf(value.value, budget, depth);
  if (value instanceof CelList) {
    const items: JsonValue[] = [];
    for (let index = 0; index < value.size; index += 1) {
      const item = jsonOf(value.at(index), budget, depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return items;
  }
  if (value instanceof CelMap) {
    return objectOf(
      Array.from(value.keys(), (key) => [key, value.get(key) as CelValue]),
      budget,
      depth,
    );
  }
  return value instanceof StructValue ? objectOf(value.fields, budget, depth) : undefined;
}

function objectOf(
  entries: Iterable<readonly [CelValue, CelValue]>,
  budget: Steps,
  depth: number,
): JsonValue | undefined {
  const members: [string, JsonValue][] = [];
  for (const [key, value] of entries) {
    const member = jsonOf(value, budget, depth + 1);
    if (typeof key !== "string" || member === undefined) return undefined;
    members.push([key, member]);
  }
  return Object.fromEntries(members);
}
