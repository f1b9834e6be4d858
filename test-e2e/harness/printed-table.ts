// Parses tables of a command-line client: blocks with a line of headings each, in columns padded with spaces.

/** Cells of each row, headings first. */
export type PrintedTable = readonly (readonly string[])[];

/** @param text blocks separated by empty lines */
export function printedTables(text: string): readonly PrintedTable[] {
  return text
    .trimEnd()
    .split(/\n\n/)
    .map((block) => tableOf(block.split("\n")));
}

/** Columns are found by the headings, because a cell may be empty. */
function tableOf(lines: readonly string[]): PrintedTable {
  const headings = [...(lines[0] ?? "").matchAll(/\S+(?: \S+)*/g)];
  const starts = headings.map(({ index }) => index);
  return lines.map((line) => starts.map((start, place) => line.slice(start, starts[place + 1]).trim()));
}
