import type { JsonValue } from "@orch/schema";
import { jsonStart } from "./json-start";

const SHOWN_MAX_CHARACTERS = 1024;

/**
 * A text as it is; another value, where a text was expected, as JSON; both no longer than a message should be. Never `String(value)` of
 * what a client sent: an object may bring its own `toString`, and that need be no function.
 */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return jsonStart(value, SHOWN_MAX_CHARACTERS);
  return value.length <= SHOWN_MAX_CHARACTERS ? value : `${value.slice(0, SHOWN_MAX_CHARACTERS)}...`;
}
