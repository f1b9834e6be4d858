// Patterns of one definition. Each is compiled once; the size of all programs together is limited.
import { RegularExpression } from "@orch/machinery";

/** Maximum number of steps of all compiled programs. */
const SIZE_MAX = 20_000;

export class Patterns {
  private readonly known = new Map<string, RegularExpression | string>();
  private size = 0;

  /** Compiles a pattern. @returns the error; undefined for a valid regular expression */
  problem(pattern: string): string | undefined {
    const known = this.of(pattern);
    return typeof known === "string" ? known : undefined;
  }

  private of(pattern: string): RegularExpression | string {
    const known = this.known.get(pattern);
    if (known !== undefined) return known;
    const expression = this.size > SIZE_MAX ? TOO_MANY : RegularExpression.compile(pattern);
    if (typeof expression !== "string") this.size += expression.size;
    this.known.set(pattern, expression);
    return expression;
  }
}

const TOO_MANY = "it is one of too many or too large patterns";
