// Deprecated versions of built-in kinds. The controllers use another version of a kind if the server has one. The
// preferred version may be deprecated, because a new version is not preferred in its first release. Source: Kubernetes
// deprecation policy, rule 4b.
import { EVERY_RESOURCE } from "@orch/apis";
import type { Client, DiscoveredResource } from "@orch/client";
import { isDeprecated } from "@orch/machinery";
import { groupName, vocabularyOf } from "@orch/schema";

type Type = Pick<DiscoveredResource, "group" | "version" | "resource">;

const keyOf = ({ group, version, resource }: Type): string => `${group}/${version}/${resource}`;

/**
 * Picks a version of each resource: the first one that is not deprecated in the release of the server, or else the
 * first.
 * @param resources in the order of the server's preference
 */
export function currentVersions<Found extends Type>(
  resources: readonly Found[],
  { vocabulary, release }: { readonly vocabulary: Client["vocabulary"]; readonly release: string },
): readonly Found[] {
  const deprecated = deprecatedTypes(vocabulary, release);
  const served = new Set(resources.map(keyOf));
  const chosen = new Map<string, Found>();
  for (const each of resources) {
    // The same objects are served in another group too.
    const { group, version } = deprecated.get(keyOf(each)) ?? each;
    if (group !== each.group && served.has(keyOf({ group, version, resource: each.resource }))) continue;
    const id = `${each.resource}.${each.group}`;
    const known = chosen.get(id);
    if (known === undefined || (deprecated.has(keyOf(known)) && !deprecated.has(keyOf(each)))) chosen.set(id, each);
  }
  return [...chosen.values()];
}

/** Returns the replacement of each deprecated type; the type itself when there is none. */
function deprecatedTypes(
  vocabulary: Client["vocabulary"],
  release: string,
): ReadonlyMap<string, Pick<Type, "group" | "version">> {
  const names = vocabularyOf(vocabulary);
  const deprecated = new Map<string, Pick<Type, "group" | "version">>();
  for (const { group, plural, versions } of EVERY_RESOURCE) {
    for (const each of versions) {
      if (!isDeprecated(each, release)) continue;
      const type = { group: groupName(names, each.group ?? group), version: each.version };
      const [, otherGroup, otherVersion] = /^([^/ ]+)\/([^/ ]+)/.exec(each.replacement ?? "") ?? [];
      const replacement =
        otherGroup === undefined || otherVersion === undefined
          ? type
          : { group: groupName(names, otherGroup), version: otherVersion };
      deprecated.set(keyOf({ ...type, resource: plural }), replacement);
    }
  }
  return deprecated;
}
