// Releases whose API the server can serve, and the versions that a release serves by default.
import { compareReleases } from "@orch/machinery";
import type { VocabularyName } from "@orch/schema";
import type { BuiltInVersion, Release } from "./built-in-resource";

/** Release that is served unless another one is requested, by vocabulary. */
export const DEFAULT_RELEASES: Readonly<Record<VocabularyName, Release>> = {
  orch: "1.23",
  kubernetes: "1.36",
};

export const RELEASE_RANGE = { first: "1.15", last: "1.37" } as const satisfies Record<string, Release>;

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
 * Returns false for alpha versions, and for beta versions since 1.24, which are served only when enabled by
 * configuration. Source: KEP-3136, "Beta APIs Are Off by Default".
 */
export function isEnabledByDefault({ version, introduced, onByDefault }: BuiltInVersion): boolean {
  if (/^v\d+$/.test(version) || onByDefault === true) return true;
  if (version.includes("alpha")) return false;
  return introduced === undefined || compareReleases(introduced, BETA_OFF_SINCE) < 0;
}

const BETA_OFF_SINCE: Release = "1.24";

/** Removes the introduction of a version that the release does not have yet: its gate serves it in every release. */
export function servedEarly(version: BuiltInVersion, release: string): BuiltInVersion {
  const { introduced, ...early } = version;
  return introduced !== undefined && compareReleases(release, introduced) < 0 ? early : version;
}
