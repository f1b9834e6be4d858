// Semantic versions such as `1.36.2-rc.1+build`. Source: Semantic Versioning 2.0.0.

const NUMBER = "(0|[1-9]\\d*)";
const PRE = "(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)";
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
);
/** Longer texts are no version of any program. */
const MAX_CHARACTERS = 256;

export const isSemanticVersion = (text: string): boolean => text.length <= MAX_CHARACTERS && VERSION.test(text);

/** Compares two semantic versions. @returns a number below, equal to or above 0 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let part = 0; part < 3; part += 1) {
    const difference = compareNumbers(a.numbers[part] ?? "0", b.numbers[part] ?? "0");
    if (difference !== 0) return difference;
  }
  // A version without a pre-release part is newer than one with it.
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let part = 0; part < Math.min(a.pre.length, b.pre.length); part += 1) {
    const difference = compareIdentifiers(a.pre[part] ?? "", b.pre[part] ?? "");
    if (difference !== 0) return difference;
  }
  return a.pre.length - b.pre.length;
}

function partsOf(text: string): { readonly numbers: readonly string[]; readonly pre: readonly string[] } {
  const [, major = "0", minor = "0", patch = "0", pre = ""] = VERSION.exec(text) ?? [];
  return { numbers: [major, minor, patch], pre: pre === "" ? [] : pre.split(".") };
}

/** Numbers have no leading zeros and may have any length. */
const compareNumbers = (one: string, other: string): number => one.length - other.length || compareTexts(one, other);

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const isNumber = (text: string): boolean => /^\d+$/.test(text);

function compareIdentifiers(one: string, other: string): number {
  if (isNumber(one) && isNumber(other)) return compareNumbers(one, other);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return compareTexts(one, other);
}
