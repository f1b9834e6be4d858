/** A text that holds no single JSON value, with the place where it goes wrong. The message repeats nothing of the text: it may hold secrets. */
export class YamlError extends Error {
  override readonly name = "YamlError";

  constructor(
    readonly why: string,
    /** Counted from 1; absent for a fault of the whole text. */
    readonly place?: YamlPlace,
  ) {
    super(place === undefined ? why : `${why} at line ${place.line}, column ${place.column}`);
  }
}

export interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

/** @param offset in UTF-16 units from the start of the text */
export function yamlPlace(text: string, offset: number): YamlPlace {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < offset; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== NEWLINE && (code !== RETURN || text.charCodeAt(at + 1) === NEWLINE)) continue;
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
