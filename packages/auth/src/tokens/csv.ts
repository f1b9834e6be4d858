// Strict parser for comma-separated values. Source: RFC 4180.

export interface CsvRecord {
  /** 1 for the first line of the text. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Splits a text into records. Empty lines are skipped, blanks are kept, lines end with LF or CRLF.
 * @throws Error naming the line of a stray or unclosed quote
 */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  const cursor = { text, at: 0, line: 1 };
  while (cursor.at < text.length) {
    const line = cursor.line;
    const fields = readRecord(cursor);
    if (fields.length > 1 || fields[0] !== "") records.push({ line, fields });
  }
  return records;
}

interface Cursor {
  readonly text: string;
  at: number;
  line: number;
}

function readRecord(cursor: Cursor): string[] {
  const fields: string[] = [];
  for (;;) {
    fields.push(cursor.text[cursor.at] === '"' ? readQuoted(cursor) : readBare(cursor));
    if (cursor.text[cursor.at] === ",") {
      cursor.at++;
      continue;
    }
    if (cursor.text[cursor.at] === "\r") cursor.at++;
    cursor.at++;
    cursor.line++;
    return fields;
  }
}

function readBare(cursor: Cursor): string {
  const start = cursor.at;
  while (!atFieldEnd(cursor)) {
    if (cursor.text[cursor.at] === '"') throw new Error(`line ${cursor.line}: a quote inside a field without quotes`);
    cursor.at++;
  }
  return cursor.text.slice(start, cursor.at);
}

function readQuoted(cursor: Cursor): string {
  const opened = cursor.line;
  let value = "";
  cursor.at++;
  for (;;) {
    const quote = cursor.text.indexOf('"', cursor.at);
    if (quote === -1) throw new Error(`line ${opened}: a quoted field that is not closed`);
    const piece = cursor.text.slice(cursor.at, quote);
    value += piece;
    cursor.line += piece.split("\n").length - 1;
    cursor.at = quote + 1;
    if (cursor.text[cursor.at] !== '"') break;
    value += '"';
    cursor.at++;
  }
  if (!atFieldEnd(cursor)) throw new Error(`line ${cursor.line}: text after the closing quote of a field`);
  return value;
}

function atFieldEnd({ text, at }: Cursor): boolean {
  const next = text[at];
  return next === undefined || next === "," || next === "\n" || (next === "\r" && text[at + 1] === "\n");
}
