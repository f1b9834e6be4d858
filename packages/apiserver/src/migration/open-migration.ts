// Puts together the storage migration of one server.
import { hostname } from "node:os";
import type { GroupResource } from "@orch/machinery";
import type { Logger, ServerMetrics } from "@orch/observability";
import type { Clock } from "@orch/platform";
import type { ObjectKey, ResourceStorage } from "@orch/registry";
import type { ResourceRoutes } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { type ResourceStorages, type ServedResources, serverWrite } from "@orch/served-resources";
import type { PathHandler } from "../handlers/dispatch";
import type { LargeObjectWorkers } from "../large-objects/large-object-workers";
import { migrationHandler } from "./migration-handler";
import { MigrationObjects } from "./migration-objects";
import { MigrationRecord } from "./migration-record";
import { StorageMigration } from "./storage-migration";

export interface OpenMigrationParts {
  readonly vocabulary: Vocabulary;
  readonly storages: Pick<ResourceStorages, "configMaps" | "definitions">;
  readonly resources: ServedResources;
  readonly routes: ResourceRoutes;
  readonly largeObjectWorkers: LargeObjectWorkers | undefined;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Maximum number of rewrites per second. */
  readonly rate: number;
  /** `<host>:<port>` at which this replica is reached. */
  readonly address: () => string;
  /** Number of this worker process; undefined when there is only one process. */
  readonly worker: number | undefined;
}

export interface OpenMigration {
  readonly migration: StorageMigration;
  readonly objects: MigrationObjects;
  readonly handler: PathHandler;
}

export function openMigration(parts: OpenMigrationParts): OpenMigration {
  const { vocabulary, storages, resources, routes, largeObjectWorkers, metrics, logger, clock, rate, worker } = parts;
  const { configMaps, definitions } = storages;
  const now = () => new Date(clock.now()).toISOString();
  const namespace = vocabulary.namespaces.system;
  const record = new MigrationRecord({
    storage: configMaps,
    namespace,
    write: serverWrite(configMaps, vocabulary),
    now,
  });
  const find = (resource: GroupResource) => resources.find(resource);
  const handled = metrics.counter("apiserver_storage_migrated_objects_total");
  const progress = metrics.gauge("apiserver_storage_migration_progress_ratio");
  const migration = new StorageMigration({
    ...{ record, find, definitions, clock, now, rate, logger },
    write: serverWrite(definitions, vocabulary),
    elsewhere: largeObjectWorkers && rewriteIn(largeObjectWorkers, routes),
    replica: () => [hostname(), parts.address(), ...(worker === undefined ? [] : [worker])].join("/"),
    observer: {
      handled: (resource, result) => handled.inc({ resource, result }),
      progressed: (resource, share) => progress.set({ resource }, share),
    },
  });
  const objects = new MigrationObjects({
    ...{ record, find, clock, now, logger },
    storage: () => find({ group: vocabulary.groups.storagemigration, resource: "storageversionmigrations" }),
    write: (storage) => serverWrite(storage, vocabulary),
    request: (requested) => migration.request(requested),
  });
  const handler = migrationHandler({ migration, record, find, storages: () => resources.storages() });
  return { migration, objects, handler };
}

/** Rewrites large objects in the large-object workers, and resources that they do not serve in this thread. */
function rewriteIn(largeObjectWorkers: LargeObjectWorkers, routes: ResourceRoutes) {
  return async (storage: ResourceStorage, key: ObjectKey, signal: AbortSignal): Promise<boolean> => {
    const { group, plural } = storage.definition;
    const route = routes
      .of({ group, resource: plural })
      .find((each) => each.subresource === undefined && each.inWorkers);
    if (route === undefined) return (await storage.rewrite?.(key, { signal })) ?? false;
    return largeObjectWorkers.rewrite({ route: route.path, key }, signal);
  };
}
