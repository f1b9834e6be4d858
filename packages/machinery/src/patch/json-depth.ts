// How deep values are nested.
import type { JsonValue } from "@orch/schema";

/** As deep as a body may be: the operations of a patch may nest what it holds in itself, and it is read again from the store. */
export const DEPTH_MAX = 1000;

/** Goes no deeper than `levels`. */
export function isDeeperThan(levels: number, value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels <= 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  for (const name in value) if (isDeeperThan(levels - 1, value[name] as JsonValue)) return true;
  return false;
}
