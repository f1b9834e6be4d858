// Aggregated discovery: all served resources in one document, in place of one request per group version. Source:
// KEP-3352 (Aggregated Discovery).
import { compareGroups } from "@orch/apis";
import { answerKind, partOf, type Route, versionsInOrder } from "@orch/request";
import type { Vocabulary } from "@orch/schema";

export type AggregatedVersion = "v2" | "v2beta1";
export const AGGREGATED_KIND = "APIGroupDiscoveryList";

/** Root path of the groups. */
export type DiscoveryRoot = "/api" | "/apis";

/** Builds the document of one root. @param routes routes of all groups */
export function aggregatedDocument(
  root: DiscoveryRoot,
  version: AggregatedVersion,
  { routes, vocabulary }: { readonly routes: Iterable<Route>; readonly vocabulary: Vocabulary },
): object {
  const groups = new Map<string, Map<string, Route[]>>();
  for (const route of routes) {
    const { group, version } = route.version;
    if ((group === "") !== (root === "/api")) continue;
    const versions = groups.get(group) ?? new Map<string, Route[]>();
    groups.set(group, versions.set(version, [...(versions.get(version) ?? []), route]));
  }
  const items = [...groups]
    .sort(([a], [b]) => compareGroups(vocabulary, a, b))
    .map(([group, versions]) => ({
      metadata: { ...(group === "" ? {} : { name: group }), creationTimestamp: null },
      versions: versionsInOrder(group, versions).map((name) => ({
        version: name,
        resources: resourcesOf(versions.get(name) ?? [], vocabulary),
        freshness: "Current",
      })),
    }));
  return { kind: AGGREGATED_KIND, apiVersion: `${vocabulary.groups.apidiscovery}/${version}`, metadata: {}, items };
}

function resourcesOf(routes: readonly Route[], vocabulary: Vocabulary) {
  return routes
    .filter((route) => partOf(route) === undefined)
    .map((route) => {
      const { definition, verbs } = route;
      const subresources = routes
        .filter((each) => each.definition === definition)
        .flatMap((each) => subresourceOf(each, vocabulary));
      return {
        resource: definition.plural,
        responseKind: answerKind(route, vocabulary),
        scope: definition.scope,
        singularResource: definition.singular,
        verbs: [...verbs].sort(),
        ...(definition.shortNames.length === 0 ? {} : { shortNames: definition.shortNames }),
        ...(definition.categories.length === 0 ? {} : { categories: definition.categories }),
        ...(subresources.length === 0 ? {} : { subresources: subresources.sort(byName) }),
      };
    })
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

function subresourceOf(route: Route, vocabulary: Vocabulary) {
  const part = partOf(route);
  if (part === undefined || route.history?.isListed === false) return [];
  return [{ subresource: part, responseKind: answerKind(route, vocabulary), verbs: [...route.verbs].sort() }];
}

const byName = (a: { readonly subresource: string }, b: { readonly subresource: string }) =>
  a.subresource < b.subresource ? -1 : 1;
