import { isWrittenAsFraction } from "../json/exact-json";
import type { JsonValue } from "../json/json-value";

/**
 * A value that its type cannot hold. `path` is spelled as in Status causes
 * (`spec.containers[0].ports[1].containerPort`), "" for the object itself.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";

  constructor(
    readonly path: string,
    /** Description of the type, such as "an integer of 32 bits". */
    readonly expected: string,
    /** Description of the value, such as `string "three"`. */
    readonly found: string,
    /** Expected composite, when something else was found instead of one. "range": a number is too large. */
    readonly shape?: "struct" | "map" | "list" | "range",
    readonly value?: JsonValue,
  ) {
    super(`${path === "" ? "the object" : path}: expected ${expected}, found ${found}`);
  }
}

const SHOWN_CHARACTERS_MAX = 64;

/** Describes a value by its kind, with the value itself when it is short. */
export function describe(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  switch (typeof value) {
    case "object":
      return "an object";
    case "string":
      return `string ${JSON.stringify(value.length > SHOWN_CHARACTERS_MAX ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}…` : value)}`;
    case "number":
      return `number ${value}`;
    case "bigint":
      return isWrittenAsFraction(value) ? `number ${value} with a fraction or an exponent` : `number ${value}`;
    case "boolean":
      return `boolean ${value}`;
  }
}
