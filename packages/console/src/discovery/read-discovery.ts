// Reads the aggregated discovery documents. Source: KEP-3352 (Aggregated Discovery).
import type { Resource } from "./resource";

export interface DiscoveryDocument {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly DiscoveredResource[];
    }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope?: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

/** Returns the resources of the documents in all their versions, in the order of the documents. */
export function readDiscovery(documents: readonly DiscoveryDocument[]): Resource[] {
  const found: Resource[] = [];
  for (const { metadata, versions = [] } of documents.flatMap(({ items = [] }) => items)) {
    const group = metadata?.name ?? "";
    for (const { version, resources = [] } of versions) {
      for (const resource of resources) {
        const served = versions.filter((each) => each.resources?.some((other) => other.resource === resource.resource));
        found.push(resourceOf(resource, { group, version, versions: served.map((each) => each.version) }));
      }
    }
  }
  return found;
}

function resourceOf(resource: DiscoveredResource, place: Pick<Resource, "group" | "version" | "versions">): Resource {
  return {
    ...place,
    name: resource.resource,
    kind: resource.responseKind?.kind ?? resource.resource,
    singular: resource.singularResource ?? "",
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    isNamespaced: resource.scope === "Namespaced",
    verbs: resource.verbs ?? [],
    subresources: (resource.subresources ?? []).map((each) => each.subresource),
  };
}
