// Immutable JSON values of tables, and copies of them for objects.
import type { JsonObject, JsonValue } from "@orch/schema";

export type FrozenValue = null | boolean | number | string | readonly FrozenValue[] | FrozenObject;
export interface FrozenObject {
  readonly [field: string]: FrozenValue;
}

export function copyOf(value: FrozenObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOfValue(each)]));
}

export function copyOfValue(value: FrozenValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOfValue);
  return typeof value === "object" && value !== null ? copyOf(value as FrozenObject) : (value as JsonValue);
}
