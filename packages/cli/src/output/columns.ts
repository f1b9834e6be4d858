// Layout of tables as text: columns as wide as their cells, three blanks between them. Source:
// cli-runtime/pkg/printers/tabwriter.go.
import { stripVTControlCharacters } from "node:util";

const GAP = 3;

/** Returns lines of aligned columns. The last column is not filled with blanks. @param rows cells as texts */
export function columnLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) + GAP - widthOf(cell))))
      .join(""),
  );
}

/** Returns lines joined, each with its end. */
export const columnText = (rows: readonly (readonly string[])[]): string =>
  columnLines(rows)
    .map((line) => `${line}\n`)
    .join("");

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;

/** Control characters (Unicode category Cc). */
const CONTROL = /\p{Cc}/gu;

/** Returns a text from a server without control characters, which could change what a terminal shows. */
export function visible(text: string): string {
  const line = /[\n\r\f]/.exec(text);
  const first = line === null ? text : `${text.slice(0, line.index)}...`;
  return first.replaceAll(CONTROL, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
