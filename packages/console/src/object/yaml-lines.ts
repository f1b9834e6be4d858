// An object as lines of YAML, each with the field that it shows.
import { isCollection, isPair, LineCounter, parseDocument, visit } from "yaml";
import { pointerOf, type Step } from "../values/field-path";
import { yamlOf } from "../values/yaml-text";

export interface YamlLine {
  readonly text: string;
  /** JSON pointer of the field. A line within a text of several lines has that of the text. */
  readonly pointer: string;
}

export function yamlLinesOf(value: unknown): YamlLine[] {
  const text = yamlOf(value);
  const pointers = pointersByLine(text);
  const lines: YamlLine[] = [];
  let pointer = "";
  for (const [index, line] of text.trimEnd().split("\n").entries()) {
    pointer = pointers.get(index + 1) ?? pointer;
    lines.push({ text: line, pointer });
  }
  return lines;
}

/** Returns the outermost field that begins on each line; lines are counted from 1. */
function pointersByLine(text: string): Map<number, string> {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false });
  const found = new Map<number, string>();
  const note = (offset: number | undefined, path: readonly Step[]) => {
    if (offset === undefined) return;
    const { line } = counter.linePos(offset);
    if (!found.has(line)) found.set(line, pointerOf(path));
  };
  const paths = new Map<unknown, readonly Step[]>();
  visit(document, {
    Node(key, node, ancestors) {
      const parent = ancestors.at(-1);
      if (isPair(parent)) {
        if (key === "value") paths.set(node, paths.get(parent) ?? []);
        return;
      }
      const base = paths.get(parent) ?? [];
      const path = isCollection(parent) && typeof key === "number" ? [...base, key] : base;
      paths.set(node, path);
      if (typeof key === "number") note(node.range?.[0], path);
    },
    Pair(_key, pair, ancestors) {
      const name = pair.key as { readonly value?: unknown; readonly range?: readonly [number, number, number] };
      const path = [...(paths.get(ancestors.at(-1)) ?? []), String(name.value)];
      paths.set(pair, path);
      note(name.range?.[0], path);
    },
  });
  return found;
}
