// A value as an outline: members on lines of their own, keys as titles.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { visible } from "../../../output/columns";

const STEP = "  ";
/** Maximum number of lines, and of levels, that one object takes. */
const LINES_MAX = 5_000;
const DEPTH_MAX = 40;

/** Members whose keys are chosen by users. */
const MAPS = new Set([
  "allocatable",
  "annotations",
  "binaryData",
  "capacity",
  "data",
  "hard",
  "labels",
  "limits",
  "matchLabels",
  "nodeSelector",
  "parameters",
  "requests",
  "stringData",
  "used",
]);

/** Returns the lines of an object. */
export function outline(object: JsonObject): string[] {
  const lines: string[] = [];
  addMembers(lines, object, { indent: "", depth: 0, isMap: false });
  if (lines.length < LINES_MAX) return lines;
  return [...lines.slice(0, LINES_MAX), `${STEP}... (the rest is left out: use -o yaml)`];
}

/** Returns `Restart Policy` for `restartPolicy`. Keys that are no words of the API, such as those of labels, stay as they are. */
export function titleOf(key: string): string {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(key)) return visible(key);
  const words = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Place {
  readonly indent: string;
  readonly depth: number;
  readonly isMap: boolean;
}

function addMembers(lines: string[], object: JsonObject, { indent, depth, isMap }: Place): void {
  const nameOf = isMap ? visible : titleOf;
  const keys = Object.keys(object).sort();
  const width = Math.max(0, ...keys.filter((key) => !isBlock(object[key])).map((key) => nameOf(key).length));
  for (const key of keys) {
    if (lines.length >= LINES_MAX) return;
    const title = `${nameOf(key)}:`;
    const value = object[key] as JsonValue;
    if (isBlock(value)) {
      lines.push(indent + title);
      addBlock(lines, value, { indent: indent + STEP, depth: depth + 1, isMap: MAPS.has(key) });
    } else lines.push(`${indent}${title.padEnd(width + 1)}  ${scalar(value)}`.trimEnd());
  }
}

function addBlock(lines: string[], value: JsonValue, place: Place): void {
  const { indent, depth } = place;
  if (depth > DEPTH_MAX) lines.push(`${indent}...`);
  else if (typeof value === "string")
    for (const line of value.split("\n").slice(0, LINES_MAX)) lines.push(indent + visible(line));
  else if (Array.isArray(value)) addList(lines, value, place);
  else if (isObject(value)) addMembers(lines, value, place);
}

function addList(lines: string[], list: readonly JsonValue[], { indent, depth }: Place): void {
  for (const item of list) {
    if (lines.length >= LINES_MAX) return;
    if (!isBlock(item)) {
      lines.push(`${indent}- ${scalar(item)}`);
      continue;
    }
    const inner: string[] = [];
    addBlock(inner, item, { indent: "", depth: depth + 1, isMap: false });
    for (const [at, line] of inner.entries()) lines.push(`${indent}${at === 0 ? "- " : STEP}${line}`);
  }
}

/** Reports whether a value takes lines of its own. */
function isBlock(value: JsonValue | undefined): boolean {
  if (typeof value === "string") return value.includes("\n");
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) && Object.keys(value).length > 0;
}

function scalar(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (typeof value === "object") return Array.isArray(value) ? "[]" : "{}";
  return visible(String(value));
}
