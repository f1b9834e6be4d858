// Texts of flag values, as they are written on a command line. Credentials in URLs are left out.
import { formatGoDuration } from "../values/go-duration";
import type { FlagTable, FlagValues } from "./flag-table";

/**
 * Returns the text of every flag of a table by name.
 * @param config values; absent ones are left out
 * @param spellings names that differ from those of the table
 */
export function flagTexts(
  table: FlagTable,
  config: Readonly<Record<string, unknown>>,
  spellings: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, { type }] of Object.entries(table)) {
    const value = config[name];
    if (value !== undefined)
      texts[spellings[name] ?? name] = withoutCredentials(valueText(type, value as FlagValues[typeof type]));
  }
  return texts;
}

function valueText(type: keyof FlagValues, value: FlagValues[keyof FlagValues]): string {
  if (type === "duration") return formatGoDuration(value as number);
  if (Array.isArray(value)) return `[${value.join(",")}]`;
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}=${each}`)
    .sort()
    .join(",");
}

/** Value that the page shows in place of a secret. */
const CLASSIFIED = "CLASSIFIED";

/** Replaces the user information of URLs. */
const withoutCredentials = (text: string): string => text.replace(/(:\/\/)[^/@\s,\]]*@/g, `$1${CLASSIFIED}@`);
