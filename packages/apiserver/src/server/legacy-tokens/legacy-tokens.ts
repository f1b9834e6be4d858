// Usage tracking of service account tokens in Secrets, so that unused ones can be found. Source: KEP-2799.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@orch/observability";
import type { Vocabulary } from "@orch/schema";
import type { ResourceStorages } from "@orch/served-resources";
import type { ServerConfig, Settings } from "@orch/server-config";
import { LastUses } from "./last-uses";
import { TrackedSince } from "./tracked-since";

export interface LegacyTokensParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly storages: ResourceStorages;
  readonly logger: Logger;
}

export class LegacyTokens {
  /** Undefined when tracking is off. Tracking requires reading the Secret of a token. */
  readonly lastUses: LastUses | undefined;
  private readonly since: TrackedSince;

  constructor({ config, settings, vocabulary, storages, logger }: LegacyTokensParts) {
    const isFollowed = settings.gates.LegacyServiceAccountTokenTracking && config["service-account-lookup"];
    const common = { vocabulary, logger, nowMs: Date.now };
    this.since = new TrackedSince({ ...common, storage: storages.configMaps, isFollowed });
    if (!isFollowed) return;
    this.lastUses = new LastUses({
      ...common,
      storage: storages.secrets,
      pause: (ms) => pause(ms, undefined, { ref: false }),
    });
  }

  start(): Promise<void> {
    return this.since.start();
  }

  async stop(): Promise<void> {
    this.since.stop();
    await this.lastUses?.stop();
  }
}
