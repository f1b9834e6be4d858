// The objects that the Node authorizer decides by. They are followed once the authorizer is first used.
import type { NodeAuthorizerDeps } from "@orch/auth";
import type { Logger, ServerMetrics } from "@orch/observability";
import type { EventLoopYielder } from "@orch/registry";
import { existsIn, type Vocabulary } from "@orch/schema";
import type { ResourceStorages } from "@orch/served-resources";
import type { Settings } from "@orch/server-config";
import { GraphInformers } from "./graph-informers";

export interface NodeObjectsParts {
  readonly storages: ResourceStorages;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

/** Later releases do not configure nodes by config maps by default, and soon not at all. */
const NODE_CONFIGS = { until: "1.21" };

export class NodeObjects {
  private feed: GraphInformers | undefined;
  private following: Promise<void> | undefined;
  private mayFollow = false;

  constructor(private readonly parts: NodeObjectsParts) {}

  /** @returns a promise when objects are followed already, so that the newly needed ones are up to date first */
  used(): NodeAuthorizerDeps | Promise<NodeAuthorizerDeps> {
    const feed = this.feed ?? this.made();
    this.feed = feed;
    const { vocabulary, settings } = this.parts;
    const { release, gates } = settings;
    const deps = { vocabulary, release, gates, graph: feed.graph, caughtUp: () => feed.caughtUp() };
    return this.mayFollow ? this.follow().then(() => deps) : deps;
  }

  /** Called when the caches are filled. Resolves once the needed objects are known. */
  async start(): Promise<void> {
    this.mayFollow = true;
    if (this.feed !== undefined) await this.follow();
  }

  close(): void {
    this.feed?.close();
  }

  private follow(): Promise<void> {
    this.following ??= (this.feed as GraphInformers).start().catch((error: unknown) => {
      this.following = undefined;
      throw error;
    });
    return this.following;
  }

  private made(): GraphInformers {
    const { storages, settings, vocabulary, loop, logger, metrics } = this.parts;
    const { pods, nodes, persistentVolumes, volumeAttachments: attachments, resourceSlices: slices } = storages;
    const { podCertificateRequests: certificateRequests } = storages;
    const { gates, release } = settings;
    return new GraphInformers({
      storages: { pods, nodes, persistentVolumes, attachments, slices, certificateRequests },
      ...{ vocabulary, loop, metrics },
      log: logger,
      features: {
        ephemeralClaims: gates.GenericEphemeralVolume,
        ephemeralContainers: gates.EphemeralContainers,
        nodeConfigs: existsIn(NODE_CONFIGS, release),
      },
    });
  }
}
