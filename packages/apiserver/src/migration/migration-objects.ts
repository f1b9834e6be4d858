// StorageVersionMigration objects: each one requests a migration of its resource, and its conditions show the outcome.
// All replicas follow the objects; their writes are idempotent. Source: KEP-4192, "Move Storage Version Migrator
// in-tree"; pkg/controller/storageversionmigrator/storageversionmigrator.go.
import { ANY, type GroupResource, isReason, MOST_RECENT, metaOf, resourceText } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { type Clock, errorFields } from "@orch/platform";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject } from "@orch/schema";
import type { MigrationRecord } from "./migration-record";
import { isUnfinished } from "./migration-row";

export interface MigrationObjectsParts {
  /** Returns the storage of the objects; undefined while they are not served. */
  readonly storage: () => ResourceStorage | undefined;
  readonly write: (storage: ResourceStorage) => WriteContext;
  readonly record: Pick<MigrationRecord, "rows">;
  readonly request: (resources: readonly GroupResource[]) => Promise<void>;
  /** Returns the storage of a resource that is to be migrated; undefined when it is not served. */
  readonly find: (resource: GroupResource) => ResourceStorage | undefined;
  readonly clock: Clock;
  /** Time in RFC 3339. */
  readonly now: () => string;
  readonly logger: Logger;
}

/** Interval between checks of the objects. */
const LOOK_EVERY_MS = 2000;

/** Length of a time without fractions of a second and zone, as conditions have it. */
const SECONDS_CHARACTERS = "2024-05-01T12:00:00".length;

const REASONS = {
  Running: "StorageVersionMigrationInProgress",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
} as const;

type Condition = keyof typeof REASONS;

export class MigrationObjects {
  private cancelLook = () => {};
  private isStopped = false;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly parts: MigrationObjectsParts) {}

  start(): void {
    this.cancelLook = this.parts.clock.after(LOOK_EVERY_MS, () => this.look(), { background: true });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancelLook();
    await this.work;
  }

  private look(): void {
    this.work = this.reconcile()
      .catch((error: unknown) => {
        if (!this.isStopped) this.parts.logger.warn("storage version migrations were not checked", errorFields(error));
      })
      .finally(() => {
        if (!this.isStopped) this.start();
      });
  }

  private async reconcile(): Promise<void> {
    const storage = this.parts.storage();
    if (storage === undefined) return;
    const { entries } = await storage.list({ namespace: "", read: ANY, selection: {}, limit: 0 });
    const open = entries.map((entry) => entry.inHub()).filter((object) => !has(object, "Succeeded", "Failed"));
    for (const object of open) {
      if (this.isStopped) return;
      if (has(object, "Running")) await this.finish(storage, object);
      else await this.begin(storage, object);
    }
  }

  /** Requests the migration first: a migration that ends later than the condition is one of this request. */
  private async begin(storage: ResourceStorage, object: JsonObject): Promise<void> {
    const resource = resourceIn(object);
    const migrated = this.parts.find(resource);
    if (migrated?.outdated === undefined) {
      const message = `${resourceText(resource)} is not a stored resource of this server`;
      return this.conclude(storage, object, { type: "Failed", message });
    }
    const { resourceVersion } = await migrated.list({ namespace: "", read: MOST_RECENT, selection: {}, limit: 1 });
    await this.parts.request([resource]);
    await this.conclude(storage, object, { type: "Running", message: "", resourceVersion: String(resourceVersion) });
  }

  private async finish(storage: ResourceStorage, object: JsonObject): Promise<void> {
    const resource = resourceIn(object);
    const row = (await this.parts.record.rows()).get(resourceText(resource));
    // A record that someone has deleted says nothing about the outcome.
    if (row === undefined) return this.parts.request([resource]);
    if (isUnfinished(row)) return;
    const type = row.phase === "Succeeded" ? "Succeeded" : "Failed";
    await this.conclude(storage, object, { type, message: row.message });
  }

  /** Adds a condition, unless another replica has done so. */
  private async conclude(
    storage: ResourceStorage,
    object: JsonObject,
    said: { readonly type: Condition; readonly message: string; readonly resourceVersion?: string },
  ): Promise<void> {
    const { name = "", uid = "" } = metaOf(object);
    const rules = storage.definition.subresources["status"];
    const subresource = rules && { name: "status", rules };
    const add = (now: JsonObject): JsonObject =>
      metaOf(now).uid !== uid || has(now, said.type, "Succeeded", "Failed") ? now : this.withCondition(now, said);
    try {
      await storage.changeInPlace(add, { namespace: "", name }, { ...this.parts.write(storage), subresource });
    } catch (error) {
      // Deleted meanwhile.
      if (!isReason(error, "NotFound")) throw error;
    }
  }

  private withCondition(
    object: JsonObject,
    { type, message, resourceVersion }: { type: Condition; message: string; resourceVersion?: string },
  ): JsonObject {
    const status = isObject(object["status"]) ? object["status"] : {};
    const lastTransitionTime = `${this.parts.now().slice(0, SECONDS_CHARACTERS)}Z`;
    const condition = { type, status: "True", lastTransitionTime, reason: REASONS[type], message };
    return {
      ...object,
      status: {
        ...status,
        conditions: [...conditionsOf(object), condition],
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    };
  }
}

function conditionsOf({ status }: JsonObject): readonly JsonObject[] {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}

const has = (object: JsonObject, ...types: readonly Condition[]): boolean =>
  conditionsOf(object).some(({ type, status }) => status === "True" && types.some((each) => each === type));

function resourceIn({ spec }: JsonObject): GroupResource {
  const resource = isObject(spec) && isObject(spec["resource"]) ? spec["resource"] : {};
  return { group: String(resource["group"] ?? ""), resource: String(resource["resource"] ?? "") };
}
