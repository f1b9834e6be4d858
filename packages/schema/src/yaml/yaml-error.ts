/**
 * A text that is not a single JSON value, with the position of the error. The message contains nothing of the text,
 * which may be secret.
 */
export class YamlError extends Error {
  override readonly name = "YamlError";

  constructor(
    readonly why: string,
    /** Starts at 1; absent for an error of the whole text. */
    readonly place?: YamlPlace,
  ) {
    super(place === undefined ? why : `${why} at line ${place.line}, column ${place.column}`);
  }
}

export interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

/** Returns the line and column. @param offset in UTF-16 units from the start of the text */
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
