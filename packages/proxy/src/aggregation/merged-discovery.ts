// Discovery of this server and of aggregated API servers, ordered by the priorities of their registrations. The
// documents of aggregated API servers are polled in advance; one that is missing is left out, so that no request waits.
// Source: Kubernetes documentation, "Kubernetes API Aggregation Layer"; KEP-3352 (Aggregated Discovery).
import { groupPriority } from "@orch/apis";
import { discoveryPath, type ExtensionServers, type Registrations, registrationName } from "@orch/extensions";
import { apiVersionText, compareVersionPriority } from "@orch/machinery";
import type { AggregatedVersion, DiscoveryDocument, DiscoveryRoot, DiscoverySource } from "@orch/openapi";
import type { Log } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { PolledDocuments } from "./polled-documents";
import { type DiscoveredResource, discoveredResources } from "./remote-resources";

export interface MergedDiscoveryParts {
  readonly local: DiscoverySource;
  readonly registrations: Registrations;
  readonly servers: ExtensionServers;
  readonly vocabulary: Vocabulary;
  readonly logger: Log;
}

interface GroupSummary {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion: unknown;
}

interface AggregatedItem {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly AggregatedItemVersion[];
}

interface AggregatedItemVersion {
  readonly version: string;
  readonly resources: readonly unknown[];
  readonly freshness: "Current" | "Stale";
}

interface Priorities {
  readonly group: number;
  readonly version: number;
}

/** Maximum size of a list: it is parsed in one go, which holds the event loop for some milliseconds. */
const LIST_MAX_BYTES = 256 * 1024;
const LIST_TIMEOUT_MS = 5_000;
const LIST_EVERY_MS = 60_000;

export class MergedDiscovery implements DiscoverySource {
  private readonly lists: PolledDocuments<readonly DiscoveredResource[]>;
  /** Generation of the lists of aggregated API servers. */
  private listGeneration = 0;
  private readonly made = new Map<string, { readonly of: readonly unknown[]; readonly document: object }>();

  constructor(private readonly parts: MergedDiscoveryParts) {
    this.lists = new PolledDocuments({
      ...parts,
      what: "discovery",
      path: discoveryPath,
      accept: "application/json",
      maxBytes: LIST_MAX_BYTES,
      timeoutMs: LIST_TIMEOUT_MS,
      everyMs: LIST_EVERY_MS,
      maxMs: LIST_EVERY_MS,
      read({ code, body }, registration) {
        if (code !== 200) throw new Error(`the server answered with HTTP status ${code}`);
        return discoveredResources(JSON.parse(body.toString("utf8")), registration);
      },
      changed: () => {
        this.listGeneration += 1;
      },
    });
  }

  close(): void {
    this.lists.close();
  }

  paths(): { readonly paths: readonly string[] } {
    const { local, registrations } = this.parts;
    const own = local.paths();
    if (!registrations.hasRemotes) return own;
    const paths = new Set(own.paths);
    for (const { group, version } of registrations.remotes()) {
      if (group === "") continue;
      paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    }
    return { paths: [...paths].sort() };
  }

  find(path: string): DiscoveryDocument | undefined {
    const { local } = this.parts;
    const own = local.find(path);
    if (path !== ROOT && !GROUP.test(path)) return own;
    const groups = local.find(ROOT);
    if (groups === undefined || this.isPlain()) return own;
    const merged = this.keep(ROOT, [groups, this.parts.registrations.generation], () => ({
      ...groups,
      groups: this.mergedGroups(groups["groups"] as readonly GroupSummary[]),
    })) as DiscoveryDocument & { readonly groups: readonly GroupSummary[] };
    if (path === ROOT) return merged;
    const found = merged.groups.find(({ name }) => path === `${ROOT}/${name}`);
    return (
      found && (this.keep(path, [found], () => ({ kind: "APIGroup", apiVersion: "v1", ...found })) as DiscoveryDocument)
    );
  }

  get aggregatedVersions(): readonly AggregatedVersion[] {
    return this.parts.local.aggregatedVersions;
  }

  aggregated(root: DiscoveryRoot, version: AggregatedVersion): object {
    const { local, registrations } = this.parts;
    const own = local.aggregated(root, version);
    if (root !== ROOT || this.isPlain()) return own;
    const of = [own, registrations.generation, this.listGeneration];
    return this.keep(`${version} ${root}`, of, () => ({
      ...own,
      items: this.mergedItems((own as { readonly items: readonly AggregatedItem[] }).items),
    }));
  }

  /** Returns the same object for as long as its inputs are the same. */
  private keep(key: string, of: readonly unknown[], make: () => object): object {
    const known = this.made.get(key);
    if (known?.of.every((each, at) => each === of[at])) return known.document;
    const document = make();
    this.made.set(key, { of, document });
    return document;
  }

  /** Whether only the groups of this server are registered, with their default priorities. */
  private isPlain(): boolean {
    const { registrations } = this.parts;
    return !registrations.hasRemotes && !registrations.hasOwnPriorities;
  }

  private prioritiesOf(group: string, version: string, at: number): Priorities {
    const { registrations, vocabulary } = this.parts;
    const registration = registrations.get(registrationName({ group, version }));
    if (registration !== undefined) return { group: registration.groupPriority, version: registration.versionPriority };
    // Not registered (yet): ordered as it is served.
    return { group: groupPriority(vocabulary, group), version: -at };
  }

  private mergedGroups(own: readonly GroupSummary[]): readonly GroupSummary[] {
    const groups = new Map(own.map(({ name, versions }) => [name, versions.map(({ version }) => version)]));
    for (const [group, versions] of this.remoteVersions())
      groups.set(group, [...new Set([...(groups.get(group) ?? []), ...versions])]);
    return this.inOrder(groups).map(([name, versions]) => {
      const listed = versions.map((version) => ({ groupVersion: apiVersionText({ group: name, version }), version }));
      return { name, versions: listed, preferredVersion: listed[0] };
    });
  }

  private remoteVersions(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const { group, version } of this.parts.registrations.remotes()) {
      if (group !== "") groups.set(group, [...(groups.get(group) ?? []), version]);
    }
    return groups;
  }

  /** The API registration group is always first. */
  private inOrder(groups: ReadonlyMap<string, readonly string[]>): readonly (readonly [string, readonly string[]])[] {
    const first = this.parts.vocabulary.groups.apiregistration;
    return [...groups]
      .map(([name, versions]) => {
        const ranked = versions.map((version, at) => ({ version, priority: this.prioritiesOf(name, version, at) }));
        ranked.sort((a, b) => b.priority.version - a.priority.version || compareVersionPriority(a.version, b.version));
        const priority =
          name === first ? Number.POSITIVE_INFINITY : Math.max(...ranked.map((each) => each.priority.group));
        return { name, priority, versions: ranked.map(({ version }) => version) };
      })
      .sort((a, b) => (a.priority === b.priority ? (a.name < b.name ? -1 : 1) : b.priority - a.priority))
      .map(({ name, versions }) => [name, versions]);
  }

  private mergedItems(own: readonly AggregatedItem[]): readonly AggregatedItem[] {
    const items = new Map(own.map((item) => [item.metadata.name ?? "", item]));
    const groups = new Map(
      own.map(({ metadata, versions }) => [metadata.name ?? "", versions.map(({ version }) => version)]),
    );
    for (const [group, versions] of this.remoteVersions())
      groups.set(group, [...new Set([...(groups.get(group) ?? []), ...versions])]);
    return this.inOrder(groups).map(([name, versions]) => {
      const local = items.get(name);
      return {
        metadata: local?.metadata ?? { name, creationTimestamp: null },
        versions: versions.map((version) => this.remoteItem(name, version) ?? versionOf(local, version)),
      };
    });
  }

  private remoteItem(group: string, version: string): AggregatedItemVersion | undefined {
    const registration = this.parts.registrations.remoteOf(group, version);
    if (registration === undefined) return undefined;
    const { document = [], isStale } = this.lists.of(registration.name) ?? { isStale: true };
    return { version, resources: document, freshness: isStale ? "Stale" : "Current" };
  }
}

function versionOf(item: AggregatedItem | undefined, version: string): AggregatedItemVersion {
  const found = item?.versions.find((each) => each.version === version);
  return found ?? { version, resources: [], freshness: "Stale" };
}

const ROOT = "/apis";
const GROUP = /^\/apis\/[^/]+$/;
