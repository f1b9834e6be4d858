// The ConfigMap with the date since which uses of tokens in Secrets are tracked: a token without a last-used label may
// have been used before. It is deleted when tracking is off, because the date would then be wrong.
import { dayOf, isDay, isReason } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import type { ObjectKey, ResourceStorage } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { canonical, createUnlessPresent, MaintainedObject, serverWrite } from "@orch/served-resources";

export interface TrackedSinceParts {
  /** Storage of ConfigMaps. */
  readonly storage: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Whether this server tracks uses. */
  readonly isFollowed: boolean;
  nowMs(): number;
}

const SINCE = "since";
const TRIES = 5;

export class TrackedSince {
  private readonly kept: MaintainedObject;
  private readonly key: ObjectKey;

  constructor(private readonly parts: TrackedSinceParts) {
    const { storage, logger, vocabulary } = parts;
    const { namespaces, objectNames } = vocabulary;
    this.key = { namespace: namespaces.system, name: objectNames.apiserverLegacyServiceAccountTokenTracking };
    this.kept = new MaintainedObject({
      storage,
      key: this.key,
      logger,
      keep: () => this.keep(),
      failure: "cannot record the start date of token tracking",
    });
  }

  /** Resolves when the ConfigMap is reconciled. */
  start(): Promise<void> {
    return this.parts.isFollowed ? this.kept.start() : this.keep();
  }

  stop(): void {
    this.kept.stop();
  }

  private async keep(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.keepOnce();
        return;
      } catch (error) {
        if (isReason(error, "NotFound")) return; // gone meanwhile: that is told
        if (tries === TRIES) throw error;
        if (isReason(error, "Invalid"))
          await this.remove(); // it is of those that cannot be changed
        else if (!isReason(error, "Conflict")) throw error;
      }
    }
  }

  private async keepOnce(): Promise<void> {
    const { storage, vocabulary, isFollowed, nowMs } = this.parts;
    const { key } = this;
    const found = storage.peek(key)?.object();
    const write = serverWrite(storage, vocabulary);
    const data = { [SINCE]: dayOf(nowMs()) };
    if (!isFollowed) {
      if (found !== undefined) await this.remove();
    } else if (found === undefined) {
      const object: JsonObject = { kind: "ConfigMap", apiVersion: "v1", metadata: { ...key }, data };
      await createUnlessPresent(storage, canonical(storage, object), vocabulary);
    } else if (!(isObject(found["data"]) && isDay(found["data"][SINCE]))) {
      await storage.update({ ...found, data }, key, write);
    }
  }

  private async remove(): Promise<void> {
    const { storage, vocabulary } = this.parts;
    await storage.delete(this.key, {}, serverWrite(storage, vocabulary));
  }
}
