// Releases of the field, such as `1.9` or `1.16`.

/** Compared part by part: `1.9` comes before `1.16`. */
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

/** Few releases are ever spoken of, each of them many thousand times at a start. A client's words come here too: they are not kept for good. */
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

/** Of a part of a type. @param part.until the last release that has it; absent, like `since`: it is in every one on that side */
export const existsIn = (part: { readonly since?: string; readonly until?: string }, release: string): boolean =>
  (part.since === undefined || compareReleases(part.since, release) <= 0) &&
  (part.until === undefined || compareReleases(release, part.until) <= 0);
