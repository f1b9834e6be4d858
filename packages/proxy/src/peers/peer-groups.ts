// Merges aggregated discovery of this server with the resources that other API servers of the cluster serve, so that a
// client sees the same resources whichever server answers. Source: KEP-4020 (Unknown Version Interoperability Proxy);
// staging/src/k8s.io/apiserver/pkg/endpoints/discovery/aggregated/peer_aggregated_handler.go.
import { compareGroups, groupPriority, orderVersions } from "@orch/apis";
import type { Vocabulary } from "@orch/schema";
import type { DiscoveredResource } from "../aggregation/remote-resources";

/** One group of a server; the group of core is "". */
export interface PeerGroup {
  readonly name: string;
  readonly versions: readonly PeerVersion[];
}

interface PeerVersion {
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
}

/** One group of a document of aggregated discovery. */
export interface DiscoveryItem {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly (PeerVersion & { readonly freshness: string })[];
}

type ItemVersion = DiscoveryItem["versions"][number];

/**
 * Returns whether a group is built in. Groups of definitions and of aggregated API servers are read from the store that
 * all servers share: what another server told of them may be out of date.
 */
export const isBuiltIn = (vocabulary: Vocabulary, group: string): boolean =>
  group === "" || groupPriority(vocabulary, group) > groupPriority(vocabulary, "example.com");

/**
 * Returns the groups of this server and of all others.
 * @returns the same list when the others serve nothing more
 */
export function withPeerGroups(
  vocabulary: Vocabulary,
  own: readonly DiscoveryItem[],
  peers: readonly (readonly PeerGroup[])[],
): readonly DiscoveryItem[] {
  let items = own;
  for (const group of peers.flat()) {
    const at = items.findIndex(({ metadata: { name = "" } }) => name === group.name);
    const known = items[at];
    if (known === undefined) {
      const item = { metadata: metadataOf(group.name), versions: group.versions.map(current) };
      items = placed(items, item, (one, other) => compareGroups(vocabulary, nameOf(one), nameOf(other)));
      continue;
    }
    const versions = mergedVersions(group.name, known.versions, group.versions);
    if (versions !== known.versions) items = items.with(at, { ...known, versions });
  }
  return items;
}

const metadataOf = (name: string) => ({ ...(name !== "" && { name }), creationTimestamp: null });
const nameOf = ({ metadata: { name = "" } }: DiscoveryItem): string => name;
const current = (version: PeerVersion): ItemVersion => ({ ...version, freshness: "Current" });

function mergedVersions(
  group: string,
  own: readonly ItemVersion[],
  others: readonly PeerVersion[],
): readonly ItemVersion[] {
  let versions = own;
  for (const other of others) {
    const at = versions.findIndex(({ version }) => version === other.version);
    const known = versions[at];
    if (known === undefined) {
      const order = orderVersions(group, [...versions.map(({ version }) => version), other.version]);
      const compare = (one: ItemVersion, two: ItemVersion) => order.indexOf(one.version) - order.indexOf(two.version);
      versions = placed(versions, current(other), compare);
      continue;
    }
    const resources = mergedResources(known.resources, other.resources);
    if (resources !== known.resources) versions = versions.with(at, { ...known, resources });
  }
  return versions;
}

function mergedResources(
  own: readonly DiscoveredResource[],
  others: readonly DiscoveredResource[],
): readonly DiscoveredResource[] {
  const resources = new Map(own.map((each) => [each.resource, each]));
  let isChanged = false;
  for (const other of others) {
    const known = resources.get(other.resource);
    const merged = known === undefined ? other : mergedResource(known, other);
    if (merged === known) continue;
    resources.set(other.resource, merged);
    isChanged = true;
  }
  if (!isChanged) return own;
  return [...resources.values()].sort((one, other) => (one.resource < other.resource ? -1 : 1));
}

/** Adds verbs and subresources; everything else is as this server has it. */
function mergedResource(own: DiscoveredResource, other: DiscoveredResource): DiscoveredResource {
  const verbs = new Set([...own.verbs, ...other.verbs]);
  const parts = new Map((own.subresources ?? []).map((each) => [each.subresource, each]));
  for (const part of other.subresources ?? []) if (!parts.has(part.subresource)) parts.set(part.subresource, part);
  if (verbs.size === own.verbs.length && parts.size === (own.subresources ?? []).length) return own;
  const subresources = [...parts.values()].sort((one, two) => (one.subresource < two.subresource ? -1 : 1));
  return { ...own, verbs: [...verbs].sort(), ...(subresources.length > 0 && { subresources }) };
}

/** Inserts an item before the first one that follows it. */
function placed<Item>(items: readonly Item[], item: Item, compare: (one: Item, other: Item) => number) {
  const at = items.findIndex((each) => compare(item, each) < 0);
  return at < 0 ? [...items, item] : items.toSpliced(at, 0, item);
}
