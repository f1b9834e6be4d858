// Release of the API that the server serves, and the oldest release that it stays compatible with. Source: Kubernetes
// documentation, "Compatibility Version For Kubernetes Control Plane Components"; KEP-4330.
import { DEFAULT_RELEASES, parseRelease, previousRelease, RELEASE_RANGE } from "@orch/apis";
import { compareReleases } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { COMPONENT_NAMES, isOwnComponent, splitComponent } from "../flags/component-names";
import type { ServerConfig } from "../flags/server-flags";

export interface ServedRelease {
  /** Release whose API is served, such as `1.23`. */
  readonly release: string;
  /** Oldest release whose servers can read what this server stores. */
  readonly minCompatibility: string;
  /** One line each. */
  readonly errors: readonly string[];
}

type ReleaseFlags = Pick<ServerConfig, "emulated-release" | "emulated-version" | "min-compatibility-version">;

export function servedRelease(config: ReleaseFlags, vocabulary: Vocabulary): ServedRelease {
  const errors: string[] = [];
  const { first, last } = RELEASE_RANGE;
  const read = (flag: keyof ReleaseFlags, text: string | undefined): string | undefined => {
    if (text === undefined || text === "") return undefined;
    const release = parseRelease(text);
    if (release === undefined)
      errors.push(`--${flag}: ${JSON.stringify(text)} is not a release from ${first} to ${last}`);
    return release;
  };
  const named = read("emulated-release", config["emulated-release"]);
  const emulated = read("emulated-version", ownVersion("emulated-version", config["emulated-version"], errors));
  const lowest = ownVersion("min-compatibility-version", config["min-compatibility-version"], errors);
  const oldest = read("min-compatibility-version", lowest);
  if (named !== undefined && emulated !== undefined && named !== emulated)
    errors.push(
      `--emulated-release=${named} and --emulated-version=${emulated} name different releases: set one of them`,
    );
  const release = named ?? emulated ?? DEFAULT_RELEASES[vocabulary.name];
  if (oldest !== undefined && compareReleases(oldest, release) > 0)
    errors.push(`--min-compatibility-version: ${oldest} must not be later than the emulated release, ${release}`);
  return { release, minCompatibility: oldest ?? olderThan(release), errors };
}

function olderThan(release: string): string {
  const previous = previousRelease(release);
  return compareReleases(previous, RELEASE_RANGE.first) < 0 ? RELEASE_RANGE.first : previous;
}

/** Returns the version of this component in `component=version` pairs. A version without a component is this one's. */
function ownVersion(flag: keyof ReleaseFlags, pairs: readonly string[], errors: string[]): string | undefined {
  const own: string[] = [];
  for (const pair of pairs) {
    const { component, value } = splitComponent(pair, "=");
    if (isOwnComponent(component)) own.push(value);
    else errors.push(`--${flag}: ${JSON.stringify(component)} is not a component of this server: ${COMPONENTS}`);
  }
  if (own.length > 1) errors.push(`--${flag}: ${own.join(" and ")} are set for the same component`);
  return own[0];
}

const COMPONENTS = COMPONENT_NAMES.join(" or ");
