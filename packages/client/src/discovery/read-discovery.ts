// Reads the discovery documents of a server: two aggregated documents, or one for each group version from servers that
// have no aggregated ones. Source: Kubernetes documentation, "The Kubernetes API", "Discovery API".
import { parseApiVersion } from "@orch/machinery";
import { type metaV1, VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import type { Client } from "../requests/client";
import type { DiscoveredResource, Discovery, DiscoveryFailure } from "./discovered-resource";

/** Accepts aggregated documents of either vocabulary, and plain ones. */
const ACCEPT = [
  ...VOCABULARY_NAMES.flatMap((name) =>
    ["v2", "v2beta1"].map(
      (version) => `application/json;g=${vocabularyOf(name).groups.apidiscovery};v=${version};as=APIGroupDiscoveryList`,
    ),
  ),
  "application/json",
].join(",");
const STALE = "Stale";

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly AggregatedResource[];
  }[];
}

type Document = metaV1.APIVersions & metaV1.APIGroupList & { readonly items?: readonly AggregatedGroup[] };

/** Reads the resources of a server. A failed group version is left out and does not affect the others. */
export async function readDiscovery(client: Client): Promise<Discovery> {
  const [core, groups] = await Promise.all([document(client, "/api"), document(client, "/apis")]);
  const parts = [core, groups].map((each) => (each.items === undefined ? undefined : aggregated(each.items)));
  const plain = [
    ...(parts[0] === undefined ? (core.versions ?? []) : []),
    ...(parts[1] === undefined ? (groups.groups ?? []).flatMap(preferredFirst) : []),
  ];
  const answers = await Promise.all(plain.map((version) => resourcesOf(client, version)));
  const failures = answers.flatMap((answer) => ("resources" in answer ? [] : [answer]));
  return {
    resources: [
      ...(parts[0]?.resources ?? []),
      ...answers.flatMap((answer) => ("resources" in answer ? answer.resources : [])),
      ...(parts[1]?.resources ?? []),
    ],
    failures: [...parts.flatMap((part) => part?.failures ?? []), ...failures],
  };
}

function aggregated(groups: readonly AggregatedGroup[]): Discovery {
  const resources: DiscoveredResource[] = [];
  const failures: DiscoveryFailure[] = [];
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? "";
    for (const { version, freshness, resources: served = [] } of versions) {
      if (freshness === STALE) {
        const groupVersion = group === "" ? version : `${group}/${version}`;
        failures.push({ groupVersion, error: new Error(`stale GroupVersion discovery: ${groupVersion}`) });
      } else resources.push(...served.map((each) => ofAggregated(each, group, version)));
    }
  }
  return { resources, failures };
}

function ofAggregated(each: AggregatedResource, group: string, version: string): DiscoveredResource {
  const kind = each.responseKind?.kind ?? "";
  return {
    group,
    version,
    resource: each.resource,
    kind,
    namespaced: each.scope === "Namespaced",
    singular: each.singularResource || kind.toLowerCase(),
    shortNames: each.shortNames ?? [],
    categories: each.categories ?? [],
    verbs: each.verbs ?? [],
    subresources: (each.subresources ?? []).map(({ subresource }) => subresource),
  };
}

async function resourcesOf(
  client: Client,
  groupVersion: string,
): Promise<{ readonly resources: readonly DiscoveredResource[] } | DiscoveryFailure> {
  const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  try {
    return { resources: ofList((await client.getJson(path)) as unknown as metaV1.APIResourceList, groupVersion) };
  } catch (error) {
    client.log.warn("cannot discover a group version", { groupVersion, error: String(error) });
    return { groupVersion, error: error as Error };
  }
}

function ofList({ resources }: metaV1.APIResourceList, groupVersion: string): DiscoveredResource[] {
  const { group, version } = parseApiVersion(groupVersion) ?? { group: "", version: groupVersion };
  const all = resources ?? [];
  return all
    .filter(({ name }) => !name.includes("/"))
    .map((each) => ({
      group,
      version,
      resource: each.name,
      kind: each.kind,
      namespaced: each.namespaced,
      singular: each.singularName || each.kind.toLowerCase(),
      shortNames: each.shortNames ?? [],
      categories: each.categories ?? [],
      verbs: each.verbs ?? [],
      subresources: all
        .filter(({ name }) => name.startsWith(`${each.name}/`))
        .map(({ name }) => name.slice(each.name.length + 1)),
    }));
}

function preferredFirst({ versions, preferredVersion }: metaV1.APIGroup): string[] {
  const names = (versions ?? []).map(({ groupVersion }) => groupVersion);
  const first = preferredVersion?.groupVersion;
  return first === undefined ? names : [first, ...names.filter((name) => name !== first)];
}

const document = async (client: Client, path: string): Promise<Document> =>
  (await client.getJson(path, { accept: ACCEPT })) as unknown as Document;
