// API versions that are newer than the emulated release and served all the same, for clients that have moved to them.
// Source: KEP-4330, "Compatibility Versions in Kubernetes"; staging/src/k8s.io/apiserver/pkg/server/deleted_kinds.go.
import { EVERY_RESOURCE, RELEASE_RANGE, servedEarly } from "@orch/apis";
import { compareReleases, compareVersionPriority, isServed } from "@orch/machinery";
import { groupName, type Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";
import type { RuntimeConfig } from "./runtime-config";

type BuiltInVersion = (typeof EVERY_RESOURCE)[number]["versions"][number];

/** Reports whether a version that the release does not have yet is served. Groups have their published names. */
export type ServedAhead = (group: string, version: string, resource: string) => boolean;

export interface ForwardCompatibility {
  readonly isAhead: ServedAhead;
  /** `--runtime-config` with the versions that follow from others. */
  readonly runtime: RuntimeConfig;
  readonly errors: readonly string[];
}

type ForwardFlags = Pick<
  ServerConfig,
  "emulation-forward-compatible" | "runtime-config-emulation-forward-compatible" | "runtime-config"
>;

interface ForwardParts {
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly runtime: RuntimeConfig;
}

/** First release whose servers reject versions of later releases in `--runtime-config`. */
const REJECTS_LATER = "1.33";

export function forwardCompatibility(config: ForwardFlags, parts: ForwardParts): ForwardCompatibility {
  const { vocabulary, release, runtime } = parts;
  const errors = (["emulation-forward-compatible", "runtime-config-emulation-forward-compatible"] as const)
    .filter((flag) => config[flag] && release === RELEASE_RANGE.last)
    .map((flag) => `--${flag} requires an emulated release before ${RELEASE_RANGE.last}`);
  const found: LaterVersions = { ahead: new Set(), following: new Set(), missing: new Set(), served: new Set() };
  for (const { plural, versions, group, gate } of EVERY_RESOURCE) {
    const byGroup = new Map<string, BuiltInVersion[]>();
    for (const version of versions) {
      const each = gate === undefined ? version : servedEarly(version, release);
      const name = groupName(vocabulary, each.group ?? group);
      byGroup.set(name, [...(byGroup.get(name) ?? []), each]);
    }
    for (const [name, known] of byGroup) addLater({ group: name, plural, versions: known }, { config, parts, found });
  }
  const { ahead, following } = found;
  for (const version of found.missing) {
    if (compareReleases(release, REJECTS_LATER) < 0 || found.served.has(version)) continue;
    const remedy = "set --runtime-config-emulation-forward-compatible";
    errors.push(`--runtime-config: ${version} is newer than the emulated release, ${release}: ${remedy}`);
  }
  const keyOf = (group: string, version: string, resource: string) => `${group}/${version}/${resource}`;
  return {
    isAhead: (group, version, resource) => ahead.has(keyOf(group, version, resource)),
    runtime:
      following.size === 0
        ? runtime
        : {
            ...runtime,
            enabled: (group, version, resource) =>
              following.has(keyOf(group, version, resource))
                ? (runtime.named(group, version, resource) ?? true)
                : runtime.enabled(group, version, resource),
          },
    errors,
  };
}

/** Keys as in `--runtime-config`. */
interface LaterVersions {
  /** Later than the release, and served. */
  readonly ahead: Set<string>;
  /** Enabled because a version of lower priority is served. */
  readonly following: Set<string>;
  /** Later than the release, and enabled by name. */
  readonly missing: Set<string>;
  /** Versions that serve a resource. */
  readonly served: Set<string>;
}

/** Adds the versions of one resource in one group, from the lowest priority to the highest. */
function addLater(
  { group, plural, versions }: { readonly group: string; readonly plural: string; readonly versions: BuiltInVersion[] },
  {
    config,
    parts: { release, runtime },
    found,
  }: { readonly config: ForwardFlags; readonly parts: ForwardParts; readonly found: LaterVersions },
): void {
  const follows = config["emulation-forward-compatible"];
  const byName = config["runtime-config-emulation-forward-compatible"];
  let lowerIsServed = false;
  for (const each of versions.toSorted((a, b) => compareVersionPriority(b.version, a.version))) {
    const { version, introduced } = each;
    const key = `${group}/${version}/${plural}`;
    const named = runtime.named(group, version, plural);
    const isFollowing = follows && lowerIsServed;
    const isLater = introduced !== undefined && compareReleases(introduced, release) > 0;
    const isAhead = isLater && (isFollowing || (byName && named === true));
    if (isFollowing) found.following.add(key);
    if (isAhead) found.ahead.add(key);
    else if (isLater && named === true) {
      found.missing.add(Object.hasOwn(config["runtime-config"], key) ? key : `${group}/${version}`);
    }
    if (isAhead || isServed(each, release)) found.served.add(`${group}/${version}`);
    const isOn = isFollowing ? named !== false : runtime.enabled(group, version, plural);
    if (isOn && !version.includes("alpha") && (isAhead || isServed(each, release))) lowerIsServed = true;
  }
}
