// Text tables of the debug pages: columns are aligned, and cells end in commas.

export type TextRow = Readonly<Record<string, string>>;

/**
 * Returns the rows by the names of the first line. A cell is what stands below its name, because names of users may have
 * commas themselves.
 *
 * @param maxRows further rows are left out
 */
export function textTableIn(text: string, maxRows = 10_000): readonly TextRow[] {
  const [head = "", ...lines] = text.split("\n", maxRows + 1);
  const columns = [...head.matchAll(/\S+/g)].map((found) => ({ name: found[0].replace(/,$/, ""), start: found.index }));
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) =>
      Object.fromEntries(
        columns.map(({ name, start }, at) => {
          const next = columns[at + 1]?.start;
          const cell = line.slice(start, next).trimEnd();
          return [name, next === undefined ? cell : cell.replace(/,$/, "")];
        }),
      ),
    );
}
