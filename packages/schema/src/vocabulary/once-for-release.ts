import type { Vocabulary } from "./vocabulary";

/** @returns what `make` makes, made once in this process for each vocabulary and release */
export function onceForRelease<Release extends string | undefined, Made>(
  make: (vocabulary: Vocabulary, release: Release) => Made,
): (vocabulary: Vocabulary, release: Release) => Made {
  const made = new WeakMap<Vocabulary, Map<Release, Made>>();
  return (vocabulary, release) => {
    const ofReleases = made.get(vocabulary) ?? new Map<Release, Made>();
    made.set(vocabulary, ofReleases);
    const known = ofReleases.get(release) ?? make(vocabulary, release);
    ofReleases.set(release, known);
    return known;
  };
}
