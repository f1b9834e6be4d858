// JSON values as YAML for people: block style, keys sorted. Writing is a small part of YAML, and here it is worth its own few lines: lists of
// thousands of objects are written by it. Every reader of 1.1 or 1.2 gets the same values.
import { writeJson } from "../exact-json";
import type { JsonObject, JsonValue } from "../json";

/** @returns one document that ends with a newline */
export function yamlText(value: JsonValue): string {
  const out = new YamlLines();
  if (isBlock(value)) writeBlock(out, value, "");
  else out.add(scalar(out, value, ""), "\n");
  return out.isTooWide ? `${inOneLine(value)}\n` : out.text();
}

/** The elements of a list, each behind its dash, as they stand below a key of the same indentation. */
export function yamlItems(values: readonly JsonValue[]): string {
  const out = new YamlLines();
  if (values.length > 0) writeList(out, values, "");
  return out.isTooWide ? values.map((value) => `- ${inOneLine(value)}\n`).join("") : out.text();
}

/**
 * Characters of indentation, of all lines together. A million values, a thousand levels deep, would be three gigabytes; what would be
 * wider than this is written in one line, in the JSON that YAML takes as well.
 */
const INDENTATION_MAX = 16 * 1024 * 1024;
/** Newlines of one text. Each line costs many times what a character costs; a text of more is written in one line, too. */
const NEWLINES_MAX = 100_000;

class YamlLines {
  private readonly parts: string[] = [];
  private room = INDENTATION_MAX;

  /** Nothing more is to be written: it would not be read. */
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

  /** For lines that are written as one part. @returns false: they would be too wide */
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

/** Whether it takes lines of its own. */
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

/** Begins where its first key is to stand; the lines after it are indented. */
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

/** Longer ones need a mark of their own before them. */
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

/** Words with nothing in them that means anything to any reader. */
const PLAIN = /^[A-Za-z_/][\w./@+=()-]*(?:[ :][\w./@+=()-]+)*$/;
/** Words that are no text to some reader. */
const MEANT_OTHERWISE = /^(?:y|n|yes|no|true|false|on|off|null)$/i;

const line = (text: string): string =>
  text.length < 500 && PLAIN.test(text) && !MEANT_OTHERWISE.test(text) ? text : inOneLine(text);

/** What YAML does not let stand as it is, though JSON does. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** JSON, which is YAML too. */
const inOneLine = (value: JsonValue): string =>
  writeJson(value).replace(UNPRINTABLE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What can stand line by line: printable, and with a first line that shows the indentation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it keeps out
const NOT_LITERAL = /^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/;

const NEWLINE = 10;

/** Text of several lines, as a literal block; undefined where it has to be quoted, or would be too wide. */
function literal(out: YamlLines, text: string, indent: string): string | undefined {
  if (NOT_LITERAL.test(text)) return undefined;
  const lines = newlines(text);
  if (lines > NEWLINES_MAX || !out.reserve(lines * indent.length)) return undefined;
  let end = text.length;
  while (text.charCodeAt(end - 1) === NEWLINE) end -= 1;
  const ends = text.length - end;
  const mark = ends === 0 ? "|-" : ends === 1 ? "|" : "|+";
  const inner = `\n${indent}  `;
  // The newline behind the last line is the caller's. Splitting and joining takes a fifth of the time of replacing.
  return `${mark}${inner}${text.slice(0, end).split("\n").join(inner)}${"\n".repeat(Math.max(0, ends - 1))}`;
}

/** How many there are, or one more than are counted. */
function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0 && count <= NEWLINES_MAX; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
