// Values as keys: what tells the items of a list apart may be of any type, and equal values are one key.
import type { JsonValue } from "@orch/schema";
import { canonicalJson } from "../objects/canonical-json";

export type ItemKey = string;

/** Texts, which nearly all keys are, stand for themselves. */
export const itemKey = (value: JsonValue): ItemKey => (typeof value === "string" ? `"${value}` : canonicalJson(value));
