// The patterns of one definition: each compiled once, all of them together with as much work as is good for a single request.
import { RegularExpression } from "@orch/machinery";

/** Steps of all programs together. */
const SIZE_MAX = 20_000;

export class Patterns {
  private readonly known = new Map<string, RegularExpression | string>();
  private size = 0;

  /** @returns undefined for a pattern that is a regular expression */
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
