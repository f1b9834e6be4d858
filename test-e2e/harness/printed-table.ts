// What a command-line client prints as tables: blocks with a line of headings each, in columns padded with spaces.

/** Of each row, its cells; the headings first. */
export type PrintedTable = readonly (readonly string[])[];

/** @param text blocks with empty lines between */
export function printedTables(text: string): readonly PrintedTable[] {
  return text
    .trimEnd()
    .split(/\n\n/)
    .map((block) => tableOf(block.split("\n")));
}

/** A cell may be empty: only the headings say where a column begins. */
function tableOf(lines: readonly string[]): PrintedTable {
  const headings = [...(lines[0] ?? "").matchAll(/\S+(?: \S+)*/g)];
  const starts = headings.map(({ index }) => index);
  return lines.map((line) => starts.map((start, place) => line.slice(start, starts[place + 1]).trim()));
}
