// Renders `--help` from the flag table: one section per heading, with sorted flags and wrapped lines.
import type { FlagRow, FlagTable } from "./flag-table";

const LINE_WIDTH = 110;
const INDENT = "      ";

/**
 * Renders the help text.
 * @param opening description and usage of the program; printed first
 */
export function helpText(opening: string, table: FlagTable): string {
  const sections = new Map<string, [string, FlagRow][]>();
  for (const [name, row] of Object.entries(table)) {
    if (row.deprecated !== undefined) continue;
    const rows = sections.get(row.section) ?? [];
    rows.push([name, row]);
    sections.set(row.section, rows);
  }
  const texts = [...sections].map(
    ([heading, rows]) =>
      `${heading}:\n${rows
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(flagText)
        .join("")}`,
  );
  return `${opening}\n\n${texts.join("\n")}`;
}

/** Renders a section of names with texts, such as values of an option. */
export const helpSection = (heading: string, entries: readonly (readonly [name: string, text: string])[]): string =>
  `${heading}:\n${entries.map(([name, text]) => `  ${name}\n${wrapped(text)}`).join("")}`;

function flagText([name, row]: [string, FlagRow]): string {
  const noted =
    row.default === "" || (row.type === "bool" && row.default === "false") ? "" : ` (default ${row.default})`;
  const values = row.oneOf === undefined ? "" : `; one of ${row.oneOf.join(", ")}`;
  const effect = row.noEffect === true ? "; accepted, without effect" : "";
  const type = row.type === "bool" ? "" : ` ${row.type}`;
  return `  --${name}${type}\n${wrapped(`${row.help}${values}${effect}${noted}`)}`;
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(" ")) {
    if (line.length + word.length > LINE_WIDTH && line !== INDENT) {
      lines.push(line.trimEnd());
      line = INDENT;
    }
    line += `${word} `;
  }
  lines.push(line.trimEnd());
  return `${lines.join("\n")}\n`;
}
