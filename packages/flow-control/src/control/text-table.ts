// Text tables in the format of Kubernetes' debug endpoints: cells end in commas, columns are aligned.

/** Minimum width, including the separator. */
const WIDTH_MIN = 8;

/** Removes control characters: some of the words come from users, and must not start a line. */
const CONTROLS = /\p{Cc}/gu;

/** @param given the first row names the columns */
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
