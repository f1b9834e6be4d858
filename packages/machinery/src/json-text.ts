import type { JsonValue } from "@orch/schema";

/**
 * A text as it is; another value, where a text was expected, as JSON. Never `String(value)` of what a client sent: an object may bring
 * its own `toString`, and that need be no function.
 */
export const jsonText = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");
