// Limits how deeply values are nested.
import type { JsonValue } from "@orch/schema";

/**
 * Maximum nesting of a patched object, equal to that of a request body. Patch operations can nest a value in itself,
 * and the result is parsed again when read from the store.
 */
export const DEPTH_MAX = 1000;

/** Reports whether a value is nested deeper than `levels`. Does not descend further than that. */
export function isDeeperThan(levels: number, value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels <= 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  for (const name in value) if (isDeeperThan(levels - 1, value[name] as JsonValue)) return true;
  return false;
}
