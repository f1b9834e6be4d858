// Layout of tables as text: columns as wide as their cells, three blanks between them. Source:
// cli-runtime/pkg/printers/tabwriter.go.
import { stripVTControlCharacters } from "node:util";

const GAP = 3;
/** Minimum width of a column with its gap. */
const WIDTH_MIN = 6;

/** Aligns rows that arrive in parts: a column is as wide as its widest cell so far. */
export class ColumnLayout {
  private readonly widths: number[] = [];

  /** Returns lines of aligned columns. The last column is not filled with blanks. @param rows cells as texts */
  lines(rows: readonly (readonly string[])[]): string[] {
    const { widths } = this;
    for (const row of rows) {
      for (let at = 0; at < row.length - 1; at += 1) {
        widths[at] = Math.max(widths[at] ?? WIDTH_MIN, widthOf(row[at] as string) + GAP);
      }
    }
    return rows.map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - widthOf(cell))))
        .join(""),
    );
  }

  /** Returns lines joined, each with its end. */
  text(rows: readonly (readonly string[])[]): string {
    return this.lines(rows)
      .map((line) => `${line}\n`)
      .join("");
  }
}

export const columnLinesOf = (rows: readonly (readonly string[])[]): string[] => new ColumnLayout().lines(rows);

export const columnText = (rows: readonly (readonly string[])[]): string => new ColumnLayout().text(rows);

/** Printable ASCII, whose characters take one column each. */
const NARROW = /^[ -~]*$/;

export const widthOf = (text: string): number =>
  NARROW.test(text) ? text.length : [...stripVTControlCharacters(text)].length;

/** Control characters (Unicode category Cc). */
const CONTROL = /\p{Cc}/gu;

/** Returns a text from a server without control characters, which could change what a terminal shows. */
export function visible(text: string): string {
  if (NARROW.test(text)) return text;
  const line = /[\n\r\f]/.exec(text);
  const first = line === null ? text : `${text.slice(0, line.index)}...`;
  return first.replaceAll(CONTROL, shown);
}

/** Returns a text of several lines without other control characters. */
export const visibleLines = (text: string): string =>
  text.replaceAll(CONTROL, (character) => (character === "\n" || character === "\t" ? character : shown(character)));

const shown = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
