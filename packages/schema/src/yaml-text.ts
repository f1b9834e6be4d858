// JSON values as YAML for people: block style, keys sorted. Writing is a small part of YAML, and here it is worth its own few lines: lists of
// thousands of objects are written by it. Every reader of 1.1 or 1.2 gets the same values.
import type { JsonObject, JsonValue } from "./json";

/** @returns one document that ends with a newline */
export function yamlText(value: JsonValue): string {
  const out: string[] = [];
  if (isBlock(value)) writeBlock(out, value, "");
  else out.push(scalar(value, ""), "\n");
  return out.join("");
}

/** The elements of a list, each behind its dash, as they stand below a key of the same indentation. */
export function yamlItems(values: readonly JsonValue[]): string {
  const out: string[] = [];
  if (values.length > 0) writeList(out, values, "");
  return out.join("");
}

type Block = JsonObject | readonly JsonValue[];

/** Whether it takes lines of its own. */
function isBlock(value: JsonValue): value is JsonObject | JsonValue[] {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  for (const _key in value) return true;
  return false;
}

function writeBlock(out: string[], value: Block, indent: string): void {
  if (isList(value)) writeList(out, value, indent);
  else writeObject(out, value, indent);
}

const isList = (value: Block): value is readonly JsonValue[] => Array.isArray(value);

/** Begins where its first key is to stand; the lines after it are indented. */
function writeObject(out: string[], object: JsonObject, indent: string): void {
  let first = true;
  for (const key of Object.keys(object).sort()) {
    const value = object[key] as JsonValue;
    if (!first) out.push(indent);
    first = false;
    writeKey(out, key, indent);
    if (!isBlock(value)) out.push(" ", scalar(value, indent), "\n");
    else if (Array.isArray(value)) {
      out.push("\n", indent);
      writeList(out, value, indent);
    } else {
      const inner = `${indent}  `;
      out.push("\n", inner);
      writeObject(out, value, inner);
    }
  }
}

function writeList(out: string[], list: readonly JsonValue[], indent: string): void {
  const inner = `${indent}  `;
  for (let at = 0; at < list.length; at += 1) {
    const element = list[at] as JsonValue;
    if (at > 0) out.push(indent);
    out.push("- ");
    if (isBlock(element)) writeBlock(out, element, inner);
    else out.push(scalar(element, inner), "\n");
  }
}

/** Longer ones need a mark of their own before them. */
const SIMPLE_KEY_MAX = 1000;

function writeKey(out: string[], key: string, indent: string): void {
  const text = line(key);
  if (text.length > SIMPLE_KEY_MAX) out.push("? ", text, "\n", indent, ":");
  else out.push(text, ":");
}

function scalar(value: JsonValue, indent: string): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return value.includes("\n") ? (literal(value, indent) ?? quoted(value)) : line(value);
}

/** Words with nothing in them that means anything to any reader. */
const PLAIN = /^[A-Za-z_/][\w./@+=()-]*(?:[ :][\w./@+=()-]+)*$/;
/** Words that are no text to some reader. */
const MEANT_OTHERWISE = /^(?:y|n|yes|no|true|false|on|off|null)$/i;

const line = (text: string): string =>
  PLAIN.test(text) && !MEANT_OTHERWISE.test(text) && text.length < 500 ? text : quoted(text);

/** What YAML does not let stand as it is, though JSON does. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const quoted = (text: string): string =>
  JSON.stringify(text).replace(UNPRINTABLE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** What can stand line by line: printable, and with a first line that shows the indentation. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it keeps out
const NOT_LITERAL = /^[\s]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]/;

/** Text of several lines, as a literal block; undefined where it has to be quoted. */
function literal(text: string, indent: string): string | undefined {
  if (NOT_LITERAL.test(text)) return undefined;
  const body = text.replace(/\n+$/, "");
  const ends = text.length - body.length;
  const mark = ends === 0 ? "|-" : ends === 1 ? "|" : "|+";
  const inner = `\n${indent}  `;
  // The newline behind the last line is the caller's.
  return `${mark}${inner}${body.replaceAll("\n", inner)}${"\n".repeat(Math.max(0, ends - 1))}`;
}
