// Reads the tables of testdata/: tab-separated, with a row of column names first. Used only by tests.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export type FactRow = Readonly<Record<string, string>>;

export function factTable(file: string): readonly FactRow[] {
  const [head = "", ...lines] = readFileSync(join(__dirname, "..", "..", "testdata", file), "utf8")
    .trimEnd()
    .split("\n");
  const columns = head.split("\t");
  return lines.map((line) => Object.fromEntries(line.split("\t").map((cell, place) => [columns[place], cell])));
}

/** Returns the words of a cell. */
export const wordsOf = (cell: string | undefined): readonly string[] => (cell ? cell.split(" ") : []);
