// Texts of values as the formats of Go print them, which `custom-columns` shows: `map[a:1]`, `[1 2]`.
import { isObject } from "@orch/schema";

/** Returns the text of a value. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`;
  if (typeof value === "number") return numberText(value);
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key])}`);
  return `map[${members.join(" ")}]`;
}

/** Exponents of fractions have two digits at least. */
const numberText = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 63
    ? BigInt(value).toString()
    : String(value).replace(/e([+-])(\d)$/, "e$10$2");
