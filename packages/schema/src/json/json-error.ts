/** A text that is not acceptable JSON, with the position of the error. */
export class JsonError extends SyntaxError {
  override readonly name = "JsonError";

  constructor(
    /** "syntax": not JSON. "depth": nested too deep. "range": a number beyond the supported range. */
    readonly reason: "syntax" | "depth" | "range",
    message: string,
    /** Offset in UTF-16 units from the start of the text. */
    readonly offset: number,
    /** Starts at 1. */
    readonly line: number,
    /** Starts at 1. */
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
