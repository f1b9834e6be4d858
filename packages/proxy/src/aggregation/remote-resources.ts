// Converts the resource list of an aggregated API server to the form of aggregated discovery. Invalid entries are left
// out. Source: KEP-3352 (Aggregated Discovery).
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly scope: "Namespaced" | "Cluster";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
}

type DiscoveredSubresource = Pick<DiscoveredResource, "responseKind" | "verbs"> & {
  readonly subresource: string;
};

const RESOURCES_MAX = 2000;

/** @param list an APIResourceList. @throws Error for anything else */
export function discoveredResources(
  list: JsonValue,
  of: { readonly group: string; readonly version: string },
): readonly DiscoveredResource[] {
  if (!isObject(list) || !Array.isArray(list["resources"])) throw new Error("the answer is not a list of resources");
  const named = list["resources"]
    .slice(0, RESOURCES_MAX)
    .filter((each) => isObject(each) && textOf(each["name"]) !== "");
  const resources = (named as JsonObject[]).filter((each) => !textOf(each["name"]).includes("/"));
  const parts = new Map<string, DiscoveredSubresource[]>();
  for (const each of named as JsonObject[]) {
    const [resource = "", ...rest] = textOf(each["name"]).split("/");
    if (rest.length === 0) continue;
    const known = parts.get(resource) ?? [];
    parts.set(resource, known);
    known.push({ subresource: rest.join("/"), responseKind: kindOf(each, of), verbs: textsOf(each["verbs"]).sort() });
  }
  return resources
    .map((each): DiscoveredResource => {
      const resource = textOf(each["name"]);
      const [shortNames, categories] = [textsOf(each["shortNames"]), textsOf(each["categories"])];
      const subresources = (parts.get(resource) ?? []).sort((a, b) => (a.subresource < b.subresource ? -1 : 1));
      return {
        resource,
        responseKind: kindOf(each, of),
        scope: each["namespaced"] === true ? "Namespaced" : "Cluster",
        singularResource: textOf(each["singularName"]),
        verbs: textsOf(each["verbs"]).sort(),
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    })
    .sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

const kindOf = (
  { group, version, kind }: JsonObject,
  of: { readonly group: string; readonly version: string },
): DiscoveredResource["responseKind"] => ({
  group: version === undefined ? of.group : textOf(group),
  version: version === undefined ? of.version : textOf(version),
  kind: textOf(kind),
});

const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

const textsOf = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
