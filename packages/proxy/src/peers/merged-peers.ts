// Discovery with the resources of the other API servers of the cluster. Only aggregated discovery in its version v2 has
// them, unless the client asks for the profile "nopeer". Source: KEP-4020.
import type { AggregatedVersion, DiscoveryDocument, DiscoveryRoot, DiscoverySource } from "@orch/openapi";
import type { NamedMetrics } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { type DiscoveryItem, type PeerGroup, withPeerGroups } from "./peer-groups";

type PeerDiscoveryMetrics = NamedMetrics<
  | "aggregator_discovery_nopeer_requests_total"
  | "aggregator_discovery_peer_aggregated_cache_hits_total"
  | "aggregator_discovery_peer_aggregated_cache_misses_total"
>;

interface MergedPeersParts {
  readonly vocabulary: Vocabulary;
  readonly metrics: PeerDiscoveryMetrics;
  /** Groups of each other server; the same list while they are unchanged. */
  readonly groups: () => readonly (readonly PeerGroup[])[];
}

interface Made {
  readonly own: object;
  readonly groups: readonly (readonly PeerGroup[])[];
  readonly document: object;
}

export class MergedPeers implements DiscoverySource {
  private readonly made = new Map<DiscoveryRoot, Made>();

  constructor(
    private readonly local: DiscoverySource,
    private readonly parts: MergedPeersParts,
  ) {}

  get aggregatedVersions(): readonly AggregatedVersion[] {
    return this.local.aggregatedVersions;
  }

  find(path: string): DiscoveryDocument | undefined {
    return this.local.find(path);
  }

  paths(): { readonly paths: readonly string[] } {
    return this.local.paths();
  }

  aggregated(root: DiscoveryRoot, version: AggregatedVersion, profile?: string): object {
    const own = this.local.aggregated(root, version);
    if (version !== "v2") return own;
    const { metrics, vocabulary } = this.parts;
    if (profile === "nopeer") {
      metrics.counter("aggregator_discovery_nopeer_requests_total").inc();
      return own;
    }
    const groups = this.parts.groups();
    const known = this.made.get(root);
    if (known?.own === own && known.groups === groups) {
      metrics.counter("aggregator_discovery_peer_aggregated_cache_hits_total").inc();
      return known.document;
    }
    metrics.counter("aggregator_discovery_peer_aggregated_cache_misses_total").inc();
    const { items } = own as { readonly items: readonly DiscoveryItem[] };
    const ofRoot = groups.map((each) => each.filter(({ name }) => (name === "") === (root === "/api")));
    const merged = withPeerGroups(vocabulary, items, ofRoot);
    const document = merged === items ? own : { ...own, items: merged };
    this.made.set(root, { own, groups, document });
    return document;
  }
}
