// Keys of list items. A merge key may have a value of any type; equal values have equal keys.
import type { JsonValue } from "@orch/schema";
import { canonicalJson } from "../objects/canonical-json";

export type ItemKey = string;

/** Returns the key of a value. Strings, the common case, are used without serialization. */
export const itemKey = (value: JsonValue): ItemKey => (typeof value === "string" ? `"${value}` : canonicalJson(value));
