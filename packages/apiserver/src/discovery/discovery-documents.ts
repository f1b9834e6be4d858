// What the server serves, for clients that ask: built from the routes when they change, and kept as bytes.
// Source: facts, http.md "Discovery".
import { compareGroups, storageVersionHash } from "@orch/apis";
import { apiVersionText } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { partOf, type ServedRoute } from "../routes/resource-route";
import type { ResourceRoutes } from "../routes/resource-routes";
import { type AggregatedVersion, aggregatedDocument, type DiscoveryRoot } from "./aggregated-document";
import { versionsInOrder } from "./version-order";

export interface DiscoveryOptions {
  readonly routes: ResourceRoutes;
  readonly vocabulary: Vocabulary;
  /** Host and port under which clients find the server. */
  readonly serverAddress: () => string;
  /** Paths beside the API, such as `/healthz`. */
  readonly otherPaths: () => readonly string[];
}

/** A document that is made when first asked for, and stays the same one for as long as what it is made of does. */
interface Planned {
  readonly of: readonly unknown[];
  readonly make: () => DiscoveryDocument;
  made?: DiscoveryDocument;
}

/** By path, without a slash at the end. */
type Plan = Map<string, Planned>;

export interface DiscoveryDocument {
  /** Of the core group, whatever group is spoken of. */
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** What there is to be found, whoever answers for it. */
export type DiscoverySource = Pick<Discovery, "find" | "aggregated" | "paths">;

export class Discovery {
  private plan: Plan = new Map();
  /** By version and root; made when first asked for. */
  private readonly aggregatedDocuments = new Map<string, object>();
  private builtFor = -1;

  readonly vocabulary: Vocabulary;

  constructor(private readonly options: DiscoveryOptions) {
    this.vocabulary = options.vocabulary;
  }

  /** @param path without a slash at its end, but for the root; undefined for a path that has no document */
  find(path: string): DiscoveryDocument | undefined {
    const { routes } = this.options;
    if (this.builtFor !== routes.generation) {
      this.builtFor = routes.generation;
      this.plan = planned(this.options, this.plan);
      this.aggregatedDocuments.clear();
    }
    const known = this.plan.get(path);
    if (known !== undefined) known.made ??= known.make();
    return known?.made;
  }

  /** The document of everything under a root. */
  aggregated(root: DiscoveryRoot, version: AggregatedVersion): object {
    this.find(root);
    const key = `${version}${root}`;
    const { routes, vocabulary } = this.options;
    const document =
      this.aggregatedDocuments.get(key) ?? aggregatedDocument(root, version, { routes: routes.all(), vocabulary });
    this.aggregatedDocuments.set(key, document);
    return document;
  }

  /** The sorted paths that `/` lists. */
  paths(): { readonly paths: readonly string[] } {
    this.find("/");
    const own = [...this.plan.keys()];
    return { paths: [...own, ...this.options.otherPaths()].sort() };
  }
}

/** Routes by group and version. */
type ByVersion = Map<string, ServedRoute[]>;

/** @param former whose documents are kept where nothing of theirs has changed */
function planned(options: DiscoveryOptions, former: Plan): Plan {
  const { vocabulary } = options;
  const groups = byGroup(options.routes.all());
  const plan: Plan = new Map();
  const add = (path: string, of: readonly unknown[], make: () => DiscoveryDocument) => {
    const known = former.get(path);
    const made = known !== undefined && sameItems(known.of, of) ? known.made : undefined;
    plan.set(path, { of, make, ...(made && { made }) });
  };
  const core = groups.get("");
  if (core !== undefined) {
    const versions = [...core.keys()];
    add("/api", versions, () => apiVersions(versions, options.serverAddress()));
  }
  const named = [...groups].filter(([group]) => group !== "").sort(([a], [b]) => compareGroups(vocabulary, a, b));
  const served = named.flatMap(([group, versions]) => [...versions.keys()].map((version) => `${group}/${version}`));
  add("/apis", served, () => ({
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: named.map(([group, versions]) => groupSummary(group, versions)),
  }));
  for (const [group, versions] of named) {
    add(`/apis/${group}`, [...versions.keys()], () => ({
      kind: "APIGroup",
      apiVersion: "v1",
      ...groupSummary(group, versions),
    }));
  }
  for (const [group, versions] of groups) {
    for (const [version, routes] of versions) {
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      add(path, routes, () => resourceList({ group, version }, routes));
    }
  }
  return plan;
}

function byGroup(routes: Iterable<ServedRoute>): ReadonlyMap<string, ByVersion> {
  const groups = new Map<string, ByVersion>();
  for (const route of routes) {
    const { group, version } = route.version;
    const versions: ByVersion = groups.get(group) ?? new Map();
    groups.set(group, versions);
    const known = versions.get(version);
    if (known === undefined) versions.set(version, [route]);
    else known.push(route);
  }
  return groups;
}

const sameItems = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, at) => item === other[at]);

const apiVersions = (versions: readonly string[], serverAddress: string) => ({
  kind: "APIVersions",
  versions,
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
});

function groupSummary(group: string, served: ByVersion) {
  const versions = versionsInOrder(group, served).map((version) => ({
    groupVersion: apiVersionText({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

function resourceList(of: { readonly group: string; readonly version: string }, routes: readonly ServedRoute[]) {
  const resources = routes.map(resourceEntry).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionText(of), resources };
}

function resourceEntry(route: ServedRoute) {
  const { definition, version, bodies, storage, act, verbs } = route;
  const part = partOf(route);
  const shared = {
    // Built-in resources do not say theirs.
    singularName: definition.isCustom && part === undefined ? definition.singular : "",
    namespaced: definition.scope === "Namespaced",
    ...(bodies.apiVersion === version.apiVersion ? {} : { group: bodies.group, version: bodies.version }),
    kind: bodies.kind,
    verbs: [...verbs].sort(),
  };
  if (part !== undefined) return { name: `${definition.plural}/${part}`, ...shared };
  return {
    name: definition.plural,
    ...shared,
    ...(definition.shortNames.length === 0 ? {} : { shortNames: definition.shortNames }),
    ...(definition.categories.length === 0 ? {} : { categories: definition.categories }),
    ...(storage === undefined || storage.computed || act !== undefined
      ? {}
      : { storageVersionHash: storageVersionHash(definition.storage) }),
  };
}
