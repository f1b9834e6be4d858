// Discovery documents, built from the routes when they change and kept encoded. Source: Kubernetes documentation, "The
// Kubernetes API", "Discovery API".
import { groupPriority, storageVersionHash } from "@orch/apis";
import { apiVersionText, compareReleases, type GroupVersion } from "@orch/machinery";
import {
  answerKind,
  type GroupRoutes,
  partOf,
  type ResourceRoutes,
  type ServedRoute,
  versionsInOrder,
} from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { type AggregatedVersion, aggregatedDocument, type DiscoveryRoot } from "./aggregated-document";

export interface DiscoveryOptions {
  readonly routes: ResourceRoutes;
  readonly vocabulary: Vocabulary;
  /** Served release, such as `1.23`. */
  readonly release: string;
  /** Host and port of the server for clients. */
  readonly serverAddress: () => string;
  /** Non-resource paths, such as `/healthz`. */
  readonly otherPaths: () => readonly string[];
}

/** A document that is made on first use and kept while its inputs are the same. */
interface Planned {
  readonly make: () => DiscoveryDocument;
  made?: DiscoveryDocument;
}

/** Documents of one group, kept while its routes are the same. */
interface GroupPlan {
  readonly of: GroupRoutes;
  readonly group: string;
  readonly priority: number;
  /** Documents by path, without a trailing slash. */
  readonly documents: ReadonlyMap<string, Planned>;
  /** Entry of the group in the group list. */
  readonly summary: () => object;
}

interface Plan {
  readonly byGroup: ReadonlyMap<string, GroupPlan>;
  /** Planned root documents by path. */
  readonly roots: ReadonlyMap<string, Planned>;
  readonly documents: ReadonlyMap<string, Planned>;
}

const NOTHING: Plan = { byGroup: new Map(), roots: new Map(), documents: new Map() };

export interface DiscoveryDocument {
  /** Kind of the core group, whatever the described group is. */
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** Discovery of all served groups, including aggregated API servers. */
export interface DiscoverySource extends Pick<Discovery, "find" | "aggregatedVersions" | "paths"> {
  /** @param profile parameter of the accepted media type; undefined: it has none */
  aggregated(root: DiscoveryRoot, version: AggregatedVersion, profile?: string): object;
}

export class Discovery {
  private plan: Plan = NOTHING;
  /** Cached by version and root; made on first use. */
  private readonly aggregatedDocuments = new Map<string, object>();
  private builtFor = -1;

  readonly vocabulary: Vocabulary;
  /** Versions of the aggregated document. The beta version is not served since 1.33. */
  readonly aggregatedVersions: readonly AggregatedVersion[];

  constructor(private readonly options: DiscoveryOptions) {
    this.vocabulary = options.vocabulary;
    this.aggregatedVersions = compareReleases(options.release, "1.33") < 0 ? ["v2", "v2beta1"] : ["v2"];
  }

  /** @param path without a trailing slash, except for the root @returns undefined for a path without a document */
  find(path: string): DiscoveryDocument | undefined {
    const { routes } = this.options;
    if (this.builtFor !== routes.generation) {
      this.builtFor = routes.generation;
      this.plan = planned(this.options, this.plan);
      this.aggregatedDocuments.clear();
    }
    const known = this.plan.documents.get(path);
    if (known !== undefined) known.made ??= known.make();
    return known?.made;
  }

  /** Returns the aggregated document of a root. */
  aggregated(root: DiscoveryRoot, version: AggregatedVersion): object {
    this.find(root);
    const key = `${version}${root}`;
    const { routes, vocabulary } = this.options;
    const document =
      this.aggregatedDocuments.get(key) ?? aggregatedDocument(root, version, { routes: routes.all(), vocabulary });
    this.aggregatedDocuments.set(key, document);
    return document;
  }

  /** Sorted paths that `/` lists. */
  paths(): { readonly paths: readonly string[] } {
    this.find("/");
    const own = [...this.plan.documents.keys()];
    return { paths: [...own, ...this.options.otherPaths()].sort() };
  }
}

/** @param former plan whose documents are kept when their inputs have not changed */
function planned(options: DiscoveryOptions, former: Plan): Plan {
  const { vocabulary, routes, release } = options;
  const namesSingular = compareReleases(release, SINGULAR_SINCE) >= 0;
  const byGroup = new Map<string, GroupPlan>();
  let isSame = true;
  for (const [group, of] of routes.groups()) {
    const known = former.byGroup.get(group);
    const plan =
      known?.of === of
        ? known
        : planOf(group, of, { priority: groupPriority(vocabulary, group), namesSingular, vocabulary });
    byGroup.set(group, plan);
    if (plan !== known && !sameVersions(plan, known)) isSame = false;
  }
  const isKept = isSame && byGroup.size === former.byGroup.size;
  const roots = isKept ? former.roots : rootsOf(byGroup, options);
  const documents = new Map(roots);
  for (const plan of byGroup.values()) for (const [path, document] of plan.documents) documents.set(path, document);
  return { byGroup, roots, documents };
}

/** Whether the root documents describe both groups equally. */
const sameVersions = (one: GroupPlan, other: GroupPlan | undefined): boolean =>
  other !== undefined && JSON.stringify(one.summary()) === JSON.stringify(other.summary());

function planOf(
  group: string,
  of: GroupRoutes,
  { priority, ...style }: EntryStyle & { readonly priority: number },
): GroupPlan {
  let made: ReturnType<typeof groupSummary> | undefined;
  const summary = () => {
    made ??= groupSummary(group, of);
    return made;
  };
  const documents = new Map<string, Planned>();
  if (group !== "")
    documents.set(`/apis/${group}`, { make: () => ({ kind: "APIGroup", apiVersion: "v1", ...summary() }) });
  for (const [version, routes] of of) {
    const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    documents.set(path, { make: () => resourceList({ group, version }, routes, style) });
  }
  return { of, group, priority, documents, summary };
}

function rootsOf(byGroup: ReadonlyMap<string, GroupPlan>, { serverAddress }: DiscoveryOptions): Map<string, Planned> {
  const roots = new Map<string, Planned>();
  const core = byGroup.get("");
  if (core !== undefined) {
    const versions = [...core.of.keys()];
    roots.set("/api", { make: () => apiVersions(versions, serverAddress()) });
  }
  roots.set("/apis", {
    make: () => {
      const named = [...byGroup.values()].filter(({ group }) => group !== "").sort(inOrder);
      return { kind: "APIGroupList", apiVersion: "v1", groups: named.map(({ summary }) => summary()) };
    },
  });
  return roots;
}

const inOrder = (one: GroupPlan, other: GroupPlan): number =>
  other.priority - one.priority || (one.group < other.group ? -1 : 1);

const apiVersions = (versions: readonly string[], serverAddress: string) => ({
  kind: "APIVersions",
  versions,
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
});

function groupSummary(group: string, served: GroupRoutes) {
  const versions = versionsInOrder(group, served).map((version) => ({
    groupVersion: apiVersionText({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

interface EntryStyle {
  readonly namesSingular: boolean;
  readonly vocabulary: Vocabulary;
}

function resourceList(of: GroupVersion, routes: readonly ServedRoute[], style: EntryStyle) {
  const resources = routes
    .filter(({ history }) => history?.isListed !== false)
    .map((route) => resourceEntry(route, style))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersionText(of), resources };
}

/** First release whose built-in resources have singular names. */
const SINGULAR_SINCE = "1.27";

function resourceEntry(route: ServedRoute, { namesSingular, vocabulary }: EntryStyle) {
  const { definition, version, storage, act, verbs } = route;
  const part = partOf(route);
  const shown = answerKind(route, vocabulary);
  const isOfVersion = shown.group === version.group && shown.version === version.version;
  const shared = {
    singularName: (definition.isCustom || namesSingular) && part === undefined ? definition.singular : "",
    namespaced: definition.scope === "Namespaced",
    ...(isOfVersion ? {} : { group: shown.group, version: shown.version }),
    kind: shown.kind,
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
