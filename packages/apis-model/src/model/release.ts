// Releases whose API the server can serve, and the versions that a release serves by default.
import { compareReleases } from "@orch/machinery";
import type { Release } from "./built-in-resource";

/** Release that is served unless another one is requested. */
export const DEFAULT_RELEASE: Release = "1.23";

export const RELEASE_RANGE = { first: "1.15", last: "1.26" } as const satisfies Record<string, Release>;

/** Parses a release. @returns undefined when the text is not a release of the range */
export function parseRelease(text: string): Release | undefined {
  if (!/^1\.\d{1,3}$/.test(text)) return undefined;
  const { first, last } = RELEASE_RANGE;
  return compareReleases(first, text) <= 0 && compareReleases(text, last) <= 0 ? (text as Release) : undefined;
}

/** Returns the previous release: `1.22` for `1.23`. The first release counts as its own predecessor. */
export function previousRelease(release: string): string {
  const [major = "1", minor = "0"] = release.split(".");
  return `${major}.${Math.max(0, Number(minor) - 1)}`;
}

/** Returns the next release: `1.24` for `1.23`. */
export function nextRelease(release: string): string {
  const [major = "1", minor = "0"] = release.split(".");
  return `${major}.${Number(minor) + 1}`;
}

/**
 * Returns false for alpha versions, which are served only when enabled by configuration. Source: Kubernetes
 * documentation, "The Kubernetes API", "API versioning".
 */
export const isEnabledByDefault = (version: string): boolean => !/^v\d+alpha\d+$/.test(version);
