// Kubernetes releases such as `1.9` or `1.16`.

/** Compares releases part by part: `1.9` precedes `1.16`. */
export function compareReleases(a: string, b: string): number {
  if (a === b) return 0;
  const left = partsOf(a);
  const right = partsOf(b);
  for (let position = 0; position < Math.max(left.length, right.length); position++) {
    const difference = (left[position] ?? 0) - (right[position] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Maximum size of the cache. A start uses few releases, many thousand times each. Texts of clients are compared, too,
 * so the cache is bounded.
 */
const KNOWN_MAX = 256;
const known = new Map<string, readonly number[]>();

function partsOf(release: string): readonly number[] {
  let parts = known.get(release);
  if (parts === undefined) {
    parts = release.replace(/^v/, "").split(".").map(Number);
    if (known.size < KNOWN_MAX) known.set(release, parts);
  }
  return parts;
}

/**
 * Reports whether a part of a type exists in a release.
 * @param part.until the last release with it; absent, like `since`: no limit on that side
 */
export const existsIn = (part: { readonly since?: string; readonly until?: string }, release: string): boolean =>
  (part.since === undefined || compareReleases(part.since, release) <= 0) &&
  (part.until === undefined || compareReleases(release, part.until) <= 0);
