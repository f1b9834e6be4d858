// The patterns of one definition: each compiled once, all of them together with as much work as is good for a single request.
import { RegularExpression } from "@orch/machinery";

/** Steps of all programs together, and steps times characters of all texts that are held against them. */
const SIZE_MAX = 20_000;
const WORK_MAX = 2_000_000;

export class Patterns {
  private readonly known = new Map<string, RegularExpression | string>();
  private size = 0;
  private work = 0;

  /** @returns undefined for a pattern that is a regular expression */
  problem(pattern: string): string | undefined {
    const known = this.of(pattern);
    return typeof known === "string" ? known : undefined;
  }

  /** What a text breaks. A pattern that is none is reported where it stands. */
  breach(pattern: string, text: string): string | undefined {
    const expression = this.of(pattern);
    if (typeof expression === "string") return undefined;
    this.work += expression.size * (text.length + 1);
    if (this.work > WORK_MAX) return "must be short enough for the patterns of the definition to be checked";
    return expression.test(text) ? undefined : `must match ${pattern}`;
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
