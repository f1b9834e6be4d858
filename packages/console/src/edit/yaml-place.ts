// The place of the cursor in YAML that is being typed, and that may therefore be incomplete.
import type { Step } from "../values/field-path";

export interface YamlPlace {
  /** Path of the mapping whose name is typed, or of the field whose value is typed. */
  readonly path: readonly Step[];
  readonly completes: "name" | "value";
  /** Text before the cursor that belongs to the name or to the value. */
  readonly typed: string;
}

const NAME = /^((?:- +)*)("?[\w./$-]*"?)$/;
const VALUE = /^((?:- +)*)("?[\w./$-]+"?): +(\S*)$/;
const FIELD = /^( *)((?:- +)*)(?:("?)([^":#]+)\3 *:(?: |$))?/;

/** Returns the place at the end of a text; undefined where neither a name nor a value can be completed. */
export function placeAt(textBefore: string): YamlPlace | undefined {
  const lines = textBefore.split("\n");
  const line = lines.pop() ?? "";
  const indent = line.length - line.trimStart().length;
  const content = line.slice(indent);
  const value = VALUE.exec(content);
  const name = value === null ? NAME.exec(content) : null;
  const [dashes = "", word = ""] = (value ?? name)?.slice(1) ?? [];
  if (value === null && name === null) return undefined;
  const path = pathAbove(lines, indent, dashes);
  if (value === null) return { path, completes: "name", typed: word };
  return { path: [...path, unquoted(word)], completes: "value", typed: value[3] ?? "" };
}

/** Returns the path of the mapping or list item that a line at a column belongs to. */
function pathAbove(lines: readonly string[], indent: number, dashes: string): Step[] {
  const path: Step[] = [];
  for (const _dash of dashes.matchAll(/-/g)) path.push(0);
  let column = indent;
  let isItem = dashes !== "";
  for (const line of [...lines].reverse()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const [, blanks = "", before = "", , field] = FIELD.exec(line) ?? [];
    const start = blanks.length;
    const at = start + before.length;
    // A list may stand at the column of the field that holds it.
    const holds = field !== undefined && (at < column || (isItem && before === "" && at === column));
    if (holds) {
      path.unshift(field.trim());
      column = at;
      isItem = false;
    }
    if (before !== "" && start < column && (holds || at === column)) {
      path.unshift(...Array.from(before.matchAll(/-/g), () => 0));
      column = start;
      isItem = true;
    }
  }
  return path;
}

const unquoted = (name: string): string => name.replace(/^"|"$/g, "");
