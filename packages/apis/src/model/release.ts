// The releases whose API this server can speak, and what one of them serves when nobody says otherwise.
// Source: resource-api, "Versioning".
import { compareReleases } from "@orch/machinery";
import type { Release } from "./built-in-resource";

/** The release whose set of versions is served unless another is asked for. */
export const DEFAULT_RELEASE: Release = "1.23";

export const RELEASE_RANGE = { first: "1.15", last: "1.26" } as const satisfies Record<string, Release>;

/** @returns undefined for text that is no release of the range */
export function parseRelease(text: string): Release | undefined {
  if (!/^1\.\d{1,3}$/.test(text)) return undefined;
  const { first, last } = RELEASE_RANGE;
  return compareReleases(first, text) <= 0 && compareReleases(text, last) <= 0 ? (text as Release) : undefined;
}

/** `1.22` of `1.23`; the first of all has none before it, and counts as its own. */
export function previousRelease(release: string): string {
  const [major = "1", minor = "0"] = release.split(".");
  return `${major}.${Math.max(0, Number(minor) - 1)}`;
}

/** `1.24` of `1.23`. */
export function nextRelease(release: string): string {
  const [major = "1", minor = "0"] = release.split(".");
  return `${major}.${Number(minor) + 1}`;
}

/** Alpha versions are served only where the configuration asks for them. Source: resource-api, "Stability levels". */
export const isEnabledByDefault = (version: string): boolean => !/^v\d+alpha\d+$/.test(version);
