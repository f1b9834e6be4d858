// Semantic versions such as `1.36.2-rc.1+build`. Source: Semantic Versioning 2.0.0.

const NUMBER = "(0|[1-9]\\d*)";
const PRE = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);

export interface SemanticVersion {
  /** Major, minor and patch number, without leading zeros and of any length. */
  readonly numbers: readonly [string, string, string];
  /** Identifiers of the pre-release part; empty for a release. */
  readonly prerelease: readonly string[];
}

/** Parses a version. The caller limits its length. @returns undefined when the text is not a version */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const found = VERSION.exec(text);
  if (found === null) return undefined;
  const [, major = "", minor = "", patch = "", prerelease = ""] = found;
  return { numbers: [major, minor, patch], prerelease: prerelease === "" ? [] : prerelease.split(".") };
}

/** Compares by precedence, which build metadata does not affect. @returns a number below, equal to or above 0 */
export function compareSemanticVersions(one: SemanticVersion, other: SemanticVersion): number {
  for (const [part, number] of one.numbers.entries()) {
    const difference = compareNumbers(number, other.numbers[part] ?? "");
    if (difference !== 0) return difference;
  }
  const [a, b] = [one.prerelease, other.prerelease];
  // A version without a pre-release part is newer than one with it.
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let part = 0; part < Math.min(a.length, b.length); part += 1) {
    const difference = compareIdentifiers(a[part] ?? "", b[part] ?? "");
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Numbers have no leading zeros, so that the longer one is larger. */
const compareNumbers = (one: string, other: string): number => one.length - other.length || compareTexts(one, other);

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const isNumber = (text: string): boolean => /^\d+$/.test(text);

/** Numbers come before texts. */
function compareIdentifiers(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return compareTexts(one, other);
}
