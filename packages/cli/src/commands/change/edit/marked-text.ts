// Errors as comments in a YAML text, each before the line that it is about.
import type { StatusError } from "@orch/machinery";
import { isCollection, isMap, isNode, isScalar, isSeq, type Node, parseDocument } from "yaml";

export interface Mark {
  /** Path of the value, such as `spec.containers[0].image`; "" for the whole text. */
  readonly field: string;
  readonly message: string;
}

/** Start of the comments. Lines that start with it, after blanks, are removed before a text is read again. */
const MARK = "# error: ";
const UNKNOWN_FIELD = /(?:unknown|duplicate) field "([^"]+)"/g;

/** Returns what an error says, value by value. */
export function marksOf(error: StatusError): readonly Mark[] {
  const causes = (error.details?.causes ?? []).filter(({ field }) => field !== undefined && field !== "");
  if (causes.length > 0)
    return causes.map(({ field = "", message = "" }) => ({ field, message: `${field}: ${message}` }));
  const unknown = [...error.message.matchAll(UNKNOWN_FIELD)];
  if (unknown.length > 0) return unknown.map(([message, field = ""]) => ({ field, message }));
  return [{ field: "", message: error.message }];
}

/** Returns the text with the marks. Those whose value is not found stand at the nearest one that is. */
export function marked(text: string, marks: readonly Mark[]): string {
  const lines = text.split("\n");
  const starts = lineStarts(text);
  const document = parseDocument(text, { logLevel: "silent" });
  const inserted = new Map<number, string[]>();
  for (const { field, message } of marks) {
    const offset = placeOf(document.contents, segmentsOf(field));
    const line =
      field === ""
        ? 0
        : Math.max(
            0,
            starts.findLastIndex((start) => start <= offset),
          );
    const blanks = /^[ -]*/.exec(field === "" ? "" : (lines[line] ?? ""))?.[0].replaceAll("-", " ") ?? "";
    const comments = message.split("\n").map((each) => `${blanks}${MARK}${each}`);
    inserted.set(line, [...(inserted.get(line) ?? []), ...comments]);
  }
  return lines.flatMap((line, at) => [...(inserted.get(at) ?? []), line]).join("\n");
}

/** Returns the text without marks. */
export const unmarked = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith(MARK))
    .join("\n");

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Returns the parts of a path: names, and indices and keys in brackets. */
function segmentsOf(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inner, name]) => inner ?? name ?? "");
}

/** Returns the offset of the value, or of the last one on the way to it. */
function placeOf(root: unknown, segments: readonly string[]): number {
  let node: unknown = root;
  let place = 0;
  for (const segment of segments) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === segment);
      if (pair === undefined) break;
      place = startOf(pair.key) ?? place;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(segment)];
      place = startOf(node) ?? place;
    } else break;
    if (!isCollection(node) && !isScalar(node)) break;
  }
  return place;
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? (node as Node).range?.[0] : undefined);
