// Tables for people to read, in the form in which the field prints them: cells end in commas, columns are aligned.

/** At least, with what follows it. */
const WIDTH_MIN = 8;

/** Users choose some of the words; none of them begins a line. */
const CONTROLS = /\p{Cc}/gu;

/** @param given the first one names the columns */
export function textTable(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replace(CONTROLS, "?")));
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? WIDTH_MIN, cell.length + 2);
    });
  }
  const lines = rows.map((row) =>
    row.map((cell, at) => (at === row.length - 1 ? cell : `${cell},`.padEnd(widths[at] as number))).join(""),
  );
  return `${lines.join("\n")}\n`;
}
