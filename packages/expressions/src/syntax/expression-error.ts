// Compilation errors of an expression, with their positions, in the format of Kubernetes.

export interface SourceProblem {
  /** Offset in UTF-16 code units. */
  readonly at: number;
  readonly message: string;
}

/** An expression that does not compile. The message lists every error with its line and a mark below its column. */
export class ExpressionError extends Error {
  readonly code = "ExpressionInvalid";
  constructor(
    source: string,
    readonly problems: readonly SourceProblem[],
  ) {
    super(problems.map((problem) => shown(source, problem)).join("\n"));
  }
}

/**
 * Maximum characters of a line in a message. Longer lines are cut around the position, because an expression may be a
 * single line of 100,000 characters.
 */
const LINE_MAX = 400;

function shown(source: string, { at, message }: SourceProblem): string {
  const before = source.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  const column = at - start;
  const end = source.indexOf("\n", at);
  const text = source.slice(start, end < 0 ? source.length : end);
  const from = column > LINE_MAX ? column - LINE_MAX / 2 : 0;
  const mark = `${".".repeat(column - from)}^`;
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text.slice(from, from + LINE_MAX)}\n | ${mark}`;
}
