// Indented JSON. The indentation of a deeply nested value could reach gigabytes for an input of a few megabytes: such a
// value is written on one line.
import { type JsonValue, writeJson } from "@orch/schema";

const STEP = 2;
/** Maximum number of indentation characters of all lines together. */
const INDENTATION_MAX = 16 * 1024 * 1024;

/** @param indent prefix of every line but the first */
export function indentedJson(value: JsonValue, indent = ""): string {
  if (indentationOf(value, indent.length) > INDENTATION_MAX) return writeJson(value);
  const text = writeJson(value, " ".repeat(STEP));
  return indent === "" ? text : text.replaceAll("\n", `\n${indent}`);
}

/** Counts indentation up to the maximum. */
function indentationOf(value: JsonValue, outer: number): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = outer + STEP;
  const members = Array.isArray(value) ? value : Object.values(value);
  let characters = outer + members.length * inner;
  for (let at = 0; at < members.length && characters <= INDENTATION_MAX; at += 1) {
    characters += indentationOf(members[at] as JsonValue, inner);
  }
  return characters;
}
