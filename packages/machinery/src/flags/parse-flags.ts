// Parses a command line by a table of flags. All errors are collected before any is reported.
import type { ConfigOf, FlagTable } from "./flag-table";
import { readFlagValue } from "./flag-values";
import { unknownFlag } from "./unknown-flag";

export interface ParsedFlags<Table extends FlagTable> {
  readonly config: ConfigOf<Table>;
  /** Names of the flags that the command line sets. */
  readonly given: ReadonlySet<string>;
  /**
   * Warnings for standard error, one line each: deprecated flags, underscores, flags without effect that a deployment
   * relies on.
   */
  readonly warnings: readonly string[];
  /** Errors, one line each; the program exits when there are any. */
  readonly errors: readonly string[];
}

/**
 * Parses a command line.
 * @param words the command line after the program's name
 * @param aliases other spellings of flags, mapped to the name in the table
 */
export function parseFlags<Table extends FlagTable>(
  table: Table,
  words: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): ParsedFlags<Table> {
  const values: Record<string, unknown> = {};
  const given = new Set<string>();
  const warnings: string[] = [];
  const errors: string[] = [];

  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const spelled = word === "-h" ? "--help" : word === "-v" ? "--v" : word;
    if (!spelled.startsWith("--") || spelled === "--") {
      errors.push(`unexpected argument ${JSON.stringify(word)}: flags start with --`);
      continue;
    }
    const equals = spelled.indexOf("=");
    const written = equals < 0 ? spelled.slice(2) : spelled.slice(2, equals);
    const dashed = written.replaceAll("_", "-");
    if (dashed !== written) warnings.push(`--${written}: use --${dashed} in place of the form with underscores`);
    const name = aliases[dashed] ?? dashed;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      errors.push(unknownFlag(written, table));
      if (equals < 0 && words[at + 1]?.startsWith("--") === false) at += 1;
      continue;
    }
    let text: string;
    if (equals >= 0) text = spelled.slice(equals + 1);
    else if (row.type === "bool" || row.bare !== undefined) text = row.bare ?? "true";
    else {
      at += 1;
      const next = words[at];
      if (next === undefined) {
        errors.push(`--${written} needs a value`);
        continue;
      }
      text = next;
    }
    try {
      values[name] = readFlagValue(row, text, given.has(name) ? values[name] : undefined);
      if (row.deprecated !== undefined && !given.has(name))
        warnings.push(`--${dashed} is deprecated: ${row.deprecated}`);
      if (row.missing !== undefined && !given.has(name) && text !== row.default)
        warnings.push(`--${dashed} has no effect here: ${row.missing}`);
      given.add(name);
    } catch (error) {
      errors.push(`--${written}: ${(error as Error).message}`);
    }
  }
  return { config: { ...defaultsOf(table), ...values } as ConfigOf<Table>, given, warnings, errors };
}

/** Returns the configuration of a command line without flags. */
export function defaultsOf<Table extends FlagTable>(table: Table): ConfigOf<Table> {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [name, readFlagValue(row, row.default, undefined)]),
  ) as ConfigOf<Table>;
}
