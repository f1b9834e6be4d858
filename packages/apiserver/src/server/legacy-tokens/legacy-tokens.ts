// Service account tokens that are kept in Secrets, followed so that those which nobody uses can be told from the others.
// Source: facts, vocabulary.json; resource-api, "Feature gate stages".
import { setTimeout as pause } from "node:timers/promises";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../../flags/server-flags";
import type { Settings } from "../../flags/settings";
import type { Logger } from "../../logging/logger";
import type { ResourceStorages } from "../resource-storages";
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
  /** Undefined where nobody follows them: their Secrets must be looked at for that. */
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
