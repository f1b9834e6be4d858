// Flags in a file: `--config FILE`, YAML with the name of a flag as each key. The command line wins.
import { readFileSync, statSync } from "node:fs";
import { isObject, type JsonValue, parseYaml, YamlError, yamlPlace } from "@orch/schema";
import type { FlagRow, FlagTable } from "./flag-table";
import { readFlagValue } from "./flag-values";
import { unknownFlag } from "./unknown-flag";

const CONFIG_FLAG = "config";
/** Maximum size of a file, in bytes. */
const BYTES_MAX = 1 << 20;

export interface FlagsOfFile {
  /** The words of the file that the command line does not replace, and those of the command line. */
  readonly words: readonly string[];
  /** Errors, one line each, with the file and the line. */
  readonly errors: readonly string[];
}

/** Table of a program's flags, which is loaded only when there is a file. */
export interface KnownFlags {
  readonly table: FlagTable;
  /** Other spellings of flags, mapped to the name in the table. */
  readonly aliases: Readonly<Record<string, string>>;
}

/**
 * Adds the flags of the file that the command line names, in front of it. A flag of the command line replaces that of
 * the file, also when the flag is a list.
 * @param words the command line after the program's name
 */
export function withFlagFile(words: readonly string[], load: () => KnownFlags): FlagsOfFile {
  const paths = pathsIn(words);
  const path = paths.at(-1);
  if (path === undefined) return { words, errors: [] };
  if (paths.length > 1) return { words, errors: [`--${CONFIG_FLAG} is set ${paths.length} times: name one file`] };
  try {
    const known = load();
    const given = namesIn(words, known.aliases);
    const { flags, errors } = flagsIn(path, known);
    const used = flags.filter(({ name }) => !given.has(name));
    return { words: [...used.flatMap(({ words: each }) => each), ...words], errors };
  } catch (error) {
    return { words, errors: [`--${CONFIG_FLAG}: ${path}: ${(error as Error).message}`] };
  }
}

function pathsIn(words: readonly string[]): string[] {
  return words.flatMap((word, at) => {
    if (word === `--${CONFIG_FLAG}`) return [words[at + 1] ?? ""];
    return word.startsWith(`--${CONFIG_FLAG}=`) ? [word.slice(CONFIG_FLAG.length + 3)] : [];
  });
}

function namesIn(words: readonly string[], aliases: Readonly<Record<string, string>>): ReadonlySet<string> {
  const spelled = words.filter((word) => word.startsWith("--")).map((word) => word.slice(2).split("=", 1)[0] ?? "");
  return new Set(spelled.map((name) => tableName(name.replaceAll("_", "-"), aliases)));
}

interface FlagOfFile {
  readonly name: string;
  readonly words: readonly string[];
}

function flagsIn(
  path: string,
  { table, aliases }: KnownFlags,
): { readonly flags: readonly FlagOfFile[]; readonly errors: readonly string[] } {
  if (statSync(path).size > BYTES_MAX) throw new Error(`the file is larger than ${BYTES_MAX} bytes`);
  const text = readFileSync(path, "utf8");
  const flags: FlagOfFile[] = [];
  const errors: string[] = [];
  const lines = keyLines(text);
  for (const [key, value] of Object.entries(membersOf(text))) {
    const line = lines.get(key);
    // A key within braces does not begin a line.
    const place = line === undefined ? path : `${path}:${line}`;
    const name = tableName(key, aliases);
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    if (row === undefined) {
      errors.push(`${place}: ${unknownFlag(key, table).replaceAll("--", "")}`);
      continue;
    }
    if (name === CONFIG_FLAG) {
      errors.push(`${place}: ${key}: a file cannot name another file`);
      continue;
    }
    try {
      const texts = textsOf(row, value);
      texts.reduce<unknown>((earlier, each) => readFlagValue(row, each, earlier), undefined);
      flags.push({ name, words: texts.map((each) => `--${key}=${each}`) });
    } catch (error) {
      errors.push(`${place}: ${key}: ${(error as Error).message}`);
    }
  }
  return { flags, errors };
}

function membersOf(text: string): Readonly<Record<string, JsonValue>> {
  try {
    const { value, problems } = parseYaml(text);
    const [problem] = problems;
    if (problem !== undefined) {
      const why = problem.kind === "furtherDocument" ? "it must contain a single document" : "a key occurs twice";
      throw new YamlError(why, yamlPlace(text, problem.offset));
    }
    if (value === null) return {};
    if (!isObject(value)) throw new Error("expected flags by their names, such as secure-port: 6443");
    return value as Readonly<Record<string, JsonValue>>;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { why, place } = error;
    throw new Error(place === undefined ? why : `line ${place.line}, column ${place.column}: ${why}`);
  }
}

/** Returns the texts of a value, one for each use of the flag. @throws Error when the value does not fit the flag */
function textsOf({ type }: FlagRow, value: JsonValue): string[] {
  const isMap = type === "mapStringBool" || type === "mapStringString";
  const isList = type === "strings" || type === "stringArray";
  if (isObject(value)) {
    if (!isMap) throw new Error("the flag takes no map");
    return Object.entries(value).map(([key, member]) => quoted(`${key}=${scalarText(member as JsonValue, type)}`));
  }
  if (!Array.isArray(value)) return [scalarText(value, type)];
  if (!isList && !isMap) throw new Error("the flag takes no list");
  // An empty list differs from an absent flag.
  if (value.length === 0) return [""];
  const items = value.map((item) => scalarText(item, type));
  return type === "stringArray" ? items : items.map(quoted);
}

function scalarText(value: JsonValue, type: FlagRow["type"]): string {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return String(value);
    case "number":
    case "bigint":
      // YAML reads 1.30 as 1.3: only a text keeps what was written.
      if (type !== "float" && !Number.isInteger(Number(value)))
        throw new Error(`${String(value)} is a number: write it in quotes, as "${String(value)}"`);
      return String(value);
    default:
      throw new Error(value === null ? "it has no value" : "expected a text, a number, or true or false");
  }
}

/** Returns an item as a comma-separated list contains it. */
const quoted = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const tableName = (name: string, aliases: Readonly<Record<string, string>>): string => aliases[name] ?? name;

/** Returns the line of each key that begins one. */
function keyLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries()) {
    const written = line.slice(0, Math.max(0, line.indexOf(":"))).trimEnd();
    const key = /^(["']).*\1$/.test(written) ? written.slice(1, -1) : written;
    if (!lines.has(key)) lines.set(key, at + 1);
  }
  return lines;
}
