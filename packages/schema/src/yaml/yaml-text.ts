// Writes JSON values as readable YAML: block style, sorted keys. A custom writer is used because lists of thousands of
// objects are written: 1,000 pods take 17 ms of processor time, against 24 ms with js-yaml 5.5 and 151 ms with the npm
// package `yaml` 2.9 (docs/dependencies.md). Readers of YAML 1.1 and 1.2 get the same values.
import { writeJson } from "../json/exact-json";
import type { JsonObject, JsonValue } from "../json/json-value";

/** Returns one document that ends with a newline. */
export function yamlText(value: JsonValue): string {
  const out = new YamlLines();
  if (isBlock(value)) writeBlock(out, value, "");
  else out.add(scalar(out, value, ""), "\n");
  return out.isTooWide ? `${inOneLine(value)}\n` : out.text();
}

/** Returns the elements of a list, each after its dash, at the indentation of their key. */
export function yamlItems(values: readonly JsonValue[]): string {
  const out = new YamlLines();
  if (values.length > 0) writeList(out, values, "");
  return out.isTooWide ? values.map((value) => `- ${inOneLine(value)}\n`).join("") : out.text();
}

/**
 * Maximum total of indentation characters. A million values at a depth of a thousand levels would take three gigabytes;
 * wider values are written on one line, as JSON, which is valid YAML.
 */
const INDENTATION_MAX = 16 * 1024 * 1024;
/**
 * Maximum number of newlines in a string. A line costs many times as much as a character; a string with more lines is
 * written on one line.
 */
const NEWLINES_MAX = 100_000;

class YamlLines {
  private readonly parts: string[] = [];
  private room = INDENTATION_MAX;

  /** Reports that the limit is exceeded. The text will not be used. */
  get isTooWide(): boolean {
    return this.room < 0;
  }

  add(...parts: readonly string[]): void {
    for (const part of parts) this.parts.push(part);
  }

  indent(indent: string): void {
    this.room -= indent.length;
    this.parts.push(indent);
  }

  /** Reserves the indentation of a multi-line string. @returns false when the limit would be exceeded */
  reserve(characters: number): boolean {
    if (characters > this.room) return false;
    this.room -= characters;
    return true;
  }

  text(): string {
    return this.parts.join("");
  }
}

type Block = JsonObject | readonly JsonValue[];

/** Reports whether the value is written on lines of its own. */
function isBlock(value: JsonValue): value is JsonObject | JsonValue[] {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const _key in value) return true;
  return false;
}

function writeBlock(out: YamlLines, value: Block, indent: string): void {
  if (isList(value)) writeList(out, value, indent);
  else writeObject(out, value, indent);
}

const isList = (value: Block): value is readonly JsonValue[] => Array.isArray(value);

/** Writes an object from the position of its first key. The following lines are indented. */
function writeObject(out: YamlLines, object: JsonObject, indent: string): void {
  let first = true;
  for (const key of Object.keys(object).sort()) {
    if (out.isTooWide) return;
    const value = object[key] as JsonValue;
    if (!first) out.indent(indent);
    first = false;
    writeKey(out, key, indent);
    if (!isBlock(value)) out.add(" ", scalar(out, value, indent), "\n");
    else if (Array.isArray(value)) {
      out.add("\n");
      out.indent(indent);
      writeList(out, value, indent);
    } else {
      const inner = `${indent}  `;
      out.add("\n");
      out.indent(inner);
      writeObject(out, value, inner);
    }
  }
}

function writeList(out: YamlLines, list: readonly JsonValue[], indent: string): void {
  const inner = `${indent}  `;
  for (let at = 0; at < list.length && !out.isTooWide; at += 1) {
    const element = list[at] as JsonValue;
    if (at > 0) out.indent(indent);
    out.add("- ");
    if (isBlock(element)) writeBlock(out, element, inner);
    else out.add(scalar(out, element, inner), "\n");
  }
}

/** Maximum length of a key without an explicit key indicator. */
const SIMPLE_KEY_MAX = 1000;

function writeKey(out: YamlLines, key: string, indent: string): void {
  const text = line(key);
  if (text.length > SIMPLE_KEY_MAX) out.add("? ", text, "\n", indent, ":");
  else out.add(text, ":");
}

function scalar(out: YamlLines, value: JsonValue, indent: string): string {
  if (typeof value !== "string") return writeJson(value);
  return value.includes("\n") ? (literal(out, value, indent) ?? inOneLine(value)) : line(value);
}

/** Words that no reader interprets. */
const PLAIN = /^(?:\.(?=[A-Za-z])(?!e[-+\d]))?[A-Za-z_/][\w./@+=()-]*(?:[ :][\w./@+=()-]+)*$/i;
/** Words that some readers do not read as strings. */
const MEANT_OTHERWISE = /^(?:y|n|yes|no|true|false|on|off|null|\.inf|\.nan)$/i;

const line = (text: string): string =>
  text.length < 500 && PLAIN.test(text) && !MEANT_OTHERWISE.test(text) ? text : inOneLine(text);

/** Characters that are valid in JSON but not in YAML. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Returns JSON, which is valid YAML. */
const inOneLine = (value: JsonValue): string =>
  writeJson(value).replace(UNPRINTABLE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Text that cannot be a literal block: not printable, or with a first line that hides the indentation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it keeps out
const NOT_LITERAL = /^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/;

const NEWLINE = 10;

/** Returns a multi-line string as a literal block; undefined when it must be quoted, or would be too wide. */
function literal(out: YamlLines, text: string, indent: string): string | undefined {
  if (NOT_LITERAL.test(text)) return undefined;
  const lines = newlines(text);
  if (lines > NEWLINES_MAX || !out.reserve(lines * indent.length)) return undefined;
  let end = text.length;
  while (text.charCodeAt(end - 1) === NEWLINE) end -= 1;
  const ends = text.length - end;
  const mark = ends === 0 ? "|-" : ends === 1 ? "|" : "|+";
  const inner = `\n${indent}  `;
  // The caller writes the newline after the last line. Splitting and joining takes a fifth of the time of replacing.
  return `${mark}${inner}${text.slice(0, end).split("\n").join(inner)}${"\n".repeat(Math.max(0, ends - 1))}`;
}

/** Counts newlines up to one more than the maximum. */
function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && count <= NEWLINES_MAX; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
