import type { Vocabulary } from "./vocabulary";

/** Memoizes `make` by vocabulary and release for this process. */
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
