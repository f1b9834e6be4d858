// The resources of a request for all that lies in a namespace, `GET /api/v1/namespaces/NAMESPACE/everything`. The core
// group has a fixed set of resources, so that no resource has this path. Source: docs/lists.md, "Everything in a
// namespace".
import type { ResourceRoute, ServedRoute } from "../routes/resource-route";
import type { ResourceRoutes } from "../routes/resource-routes";
import { versionsInOrder } from "../routes/version-order";
import type { ApiPath } from "./api-path";
import { quotedStart, REFERENCE_FORMS, type ResourceReference, readReference } from "./resource-reference";

export const EVERYTHING = "everything";

export const isEverything = ({ group, version, prefix, inNamespace, resource, name, isPlain }: ApiPath): boolean =>
  resource === EVERYTHING && group === "" && version === "v1" && prefix === "" && inNamespace && name === "" && isPlain;

/** Maximum number of resources that `kinds` names. */
const KINDS_MAX = 128;

/** @returns the requested resources; "all" without the parameter `kinds`; or the error of the parameters */
export function askedKinds(
  query: URLSearchParams | undefined,
  routes: ResourceRoutes,
): readonly ResourceReference[] | "all" | { readonly problem: string } {
  if (query === undefined) return "all";
  for (const name of query.keys()) {
    if (name === "kinds" || name === "timeout") continue;
    return { problem: `${quotedStart(name)} is not a parameter of ${EVERYTHING}: it takes kinds, timeout` };
  }
  const [text, further] = query.getAll("kinds");
  if (text === undefined) return "all";
  if (further !== undefined) return { problem: "kinds: is given twice; give it once, with commas" };
  const names = text.split(",", KINDS_MAX + 1);
  if (names.length > KINDS_MAX) return { problem: `kinds: must name at most ${KINDS_MAX} resources` };
  const found = new Map<string, ResourceReference>();
  for (const name of names) {
    const reference = readReference(name, routes);
    if (reference === undefined) return { problem: `kinds: ${quotedStart(name)}: must be ${REFERENCE_FORMS}` };
    const { group, version, resource } = reference;
    found.set(`${group}/${version}/${resource}`, reference);
  }
  return [...found.values()];
}

/** Returns a route to each kind of stored objects in namespaces, in its preferred version. */
export function routesInNamespaces(routes: ResourceRoutes): readonly ResourceRoute[] {
  const found: ResourceRoute[] = [];
  for (const [group, served] of routes.groups()) {
    const seen = new Set<string>();
    for (const version of versionsInOrder(group, served)) {
      for (const route of served.get(version) ?? []) {
        const { definition } = route;
        // A kind that is served under several groups is shown in its own.
        if (!isListed(route) || definition.group !== group || seen.has(definition.plural)) continue;
        seen.add(definition.plural);
        found.push(route);
      }
    }
  }
  return found;
}

const isListed = (route: ServedRoute): route is ResourceRoute =>
  route.storage !== undefined &&
  route.storage.computed !== true &&
  route.subresource === undefined &&
  route.connection === undefined &&
  route.act === undefined &&
  route.history === undefined &&
  route.definition.scope === "Namespaced" &&
  route.verbs.has("list");
