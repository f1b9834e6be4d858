// The values that cross the wire, once bytes have become objects.
/** Integers that a number would write with other digits are bigints: see exact-json.ts. */
export type JsonValue = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
