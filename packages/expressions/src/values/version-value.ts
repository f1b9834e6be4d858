// A semantic version. Source: semver.org 2.0.0.
import { OpaqueValue } from "./cel-value";

const NUMBER = /^(0|[1-9]\d{0,17})$/;
const IDENTIFIER = /^[0-9A-Za-z-]+$/;
const DIGITS = /^\d+$/;
const LEADING_ZERO = /^0\d+$/;
const MAX_CHARACTERS = 4096;

type Numbers = readonly [bigint, bigint, bigint];

export class VersionValue extends OpaqueValue {
  readonly typeName = "Semver";

  private constructor(
    readonly numbers: Numbers,
    private readonly prerelease: readonly string[],
  ) {
    super();
  }

  /** Parses a version. @returns undefined when the text is not a version */
  static parse(text: string): VersionValue | undefined {
    if (text.length > MAX_CHARACTERS) return undefined;
    const [withoutBuild = "", ...build] = text.split("+");
    const dash = withoutBuild.indexOf("-");
    const core = dash < 0 ? withoutBuild : withoutBuild.slice(0, dash);
    const prerelease = dash < 0 ? [] : withoutBuild.slice(dash + 1).split(".");
    const parts = core.split(".");
    if (parts.length !== 3 || !parts.every((part) => NUMBER.test(part)) || build.length > 1) return undefined;
    if (!prerelease.every((part) => IDENTIFIER.test(part) && !LEADING_ZERO.test(part))) return undefined;
    if (!build.every((part) => part.split(".").every((each) => IDENTIFIER.test(each)))) return undefined;
    return new VersionValue(parts.map(BigInt) as unknown as Numbers, prerelease);
  }

  /** Compares by precedence, which build metadata does not affect. */
  compare(other: VersionValue): number {
    for (const [position, number] of this.numbers.entries()) {
      const difference = number - (other.numbers[position] ?? 0n);
      if (difference !== 0n) return difference < 0n ? -1 : 1;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof VersionValue && this.compare(other) === 0;
  }
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let position = 0; position < Math.min(a.length, b.length); position += 1) {
    const order = compareIdentifiers(a[position] as string, b[position] as string);
    if (order !== 0) return order;
  }
  return Math.sign(a.length - b.length);
}

/** Numbers come before texts. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, otherIsNumber] = [DIGITS.test(a), DIGITS.test(b)];
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
  if (isNumber && a.length !== b.length) return Math.sign(a.length - b.length);
  return a === b ? 0 : a < b ? -1 : 1;
}
