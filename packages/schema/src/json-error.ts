/** A text that is no acceptable JSON, with the place where it goes wrong. */
export class JsonError extends SyntaxError {
  override readonly name = "JsonError";

  constructor(
    /** "syntax": not JSON at all. "depth": nested deeper than is accepted. "range": a number beyond all that can be kept. */
    readonly reason: "syntax" | "depth" | "range",
    message: string,
    /** In UTF-16 units from the start of the text. */
    readonly offset: number,
    /** From 1. */
    readonly line: number,
    /** From 1. */
    readonly column: number,
  ) {
    super(`${message} (line ${line}, column ${column})`);
  }
}

export function jsonErrorAt(reason: JsonError["reason"], message: string, text: string, offset: number): JsonError {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", lineStart)) {
    line++;
    lineStart = at + 1;
  }
  return new JsonError(reason, message, offset, line, offset - lineStart + 1);
}
