import type { JsonValue } from "@orch/schema";
import { jsonStart } from "./json-start";

const SHOWN_MAX_CHARACTERS = 1024;

/**
 * Returns a string as it is, and any other value as JSON, both limited in length. Used instead of `String(value)` for
 * client input: an object may contain a `toString` member that is not a function.
 */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return jsonStart(value, SHOWN_MAX_CHARACTERS);
  return value.length <= SHOWN_MAX_CHARACTERS ? value : `${value.slice(0, SHOWN_MAX_CHARACTERS)}...`;
}
