// The core that serves objects: the registry with its resources, admission, and the routes.
import { createAdmissionChain, type RemoteServices, type WebhookCaller } from "@orch/admission";
import type { Admission } from "@orch/machinery";
import {
  AllocationFigures,
  admissionObserver,
  type Logger,
  podSecurityCounts,
  policyObserver,
  type ServerMetrics,
  watchObserver,
  webhookObserver,
} from "@orch/observability";
import { createRegistry, EventLoopYielder, type Registry } from "@orch/registry";
import type { ResourceRoutes } from "@orch/request";
import { existsIn, type JsonObject, loadSchema, MANY_VALUES, type Schema, type Vocabulary } from "@orch/schema";
import { type OtherStores, type ResourceStorages, ServedResources } from "@orch/served-resources";
import {
  type AccessReaders,
  AdmissionManifests,
  type AdmissionReaders,
  admissionDependencies,
  conversionReader,
  type ObjectAccessDeps,
  objectWriter,
  ownReaders,
  type PluginConfigurations,
  pluginOptions,
} from "@orch/server-admission";
import type { ServerConfig, Settings } from "@orch/server-config";
import type { Store } from "@orch/store";
import type { AccountKeys } from "./account-keys";
import { routesFor, serveBuiltIn } from "./built-in-serving";

export interface ServingCoreParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly store: Store;
  readonly otherStores?: OtherStores | undefined;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  /** See RegistryOptions. */
  readonly follows: boolean;
  readonly loop?: EventLoopYielder;
  readonly restored?: () => void;
  /** Configurations of admission plugins. */
  readonly configurations: PluginConfigurations;
  /** Remote services that admission plugins call. */
  readonly remotes: RemoteServices;
  /** Evaluated on use, because it may depend on the storages that are made here. */
  readonly access: () => AccessReaders;
  /** Issuer of service account tokens. Absent: this thread issues none. Without an issuer no token can be issued. */
  readonly tokenIssuer?: Pick<AccountKeys, "issuer" | "maxSeconds">;
  /** Absent: admission webhooks are not reachable from here. */
  readonly webhooks?: WebhookCaller;
  /** Where plugins read other objects. Absent: in the cache of the registry made here. */
  readonly readers?: (deps: ObjectAccessDeps) => AdmissionReaders;
  /** Receives the registry and returns the one to use. */
  readonly seam?: (made: Registry) => Registry;
}

export interface ServingCore {
  readonly schema: Schema;
  readonly admission: Admission;
  /** Objects that admission reads. */
  readonly readers: AdmissionReaders;
  readonly registry: Registry;
  readonly resources: ServedResources;
  readonly storages: ResourceStorages;
  readonly routes: ResourceRoutes;
  /** Counts of the allocations of services. */
  readonly allocations: AllocationFigures;
  /** Configurations of admission in manifest files; undefined in a large-object worker. */
  readonly manifests: AdmissionManifests | undefined;
}

const NO_OBJECTS: readonly JsonObject[] = [];

/**
 * Releases in which server-side apply keeps the applied order of new list items. Source:
 * sigs.k8s.io/structured-merge-diff, typed/merge.go.
 */
const APPLIED_ORDER = { since: "1.23" };

export function servingCore(parts: ServingCoreParts): ServingCore {
  const { config, settings, vocabulary, store, otherStores, logger, metrics, access, follows, loop, restored, seam } =
    parts;
  const schema = loadSchema(vocabulary, settings.release);
  const hasWorkers = follows && config["large-object-threads"] > 0;
  const yielder = loop ?? new EventLoopYielder();
  const readers = (parts.readers ?? ownReaders)({
    ...{ vocabulary, logger },
    resources: () => resources,
    ready: () => registry.ready(),
    loop: yielder,
    manifests: (resource) => manifests?.objects(resource) ?? NO_OBJECTS,
  });
  const admission = createAdmissionChain({
    plugins: settings.plugins,
    configurations: parts.configurations,
    dependencies: admissionDependencies({
      ...{ vocabulary, access, release: settings.release, options: pluginOptions(config, settings) },
      ...{
        objects: readers.objects,
        kinds: readers.kinds,
        allowances: readers.allowances,
        yielder,
        remotes: parts.remotes,
      },
      writer: objectWriter({ vocabulary, resources: () => resources }),
      ...(parts.webhooks && { webhooks: parts.webhooks }),
      webhookObserver: webhookObserver(metrics, logger),
      policyObserver: policyObserver(metrics),
      conversion: conversionReader(yielder),
      ...(hasWorkers && { valuesHere: MANY_VALUES }),
      storages: () => storages,
      podSecurity: podSecurityCounts(metrics),
    }),
    observer: admissionObserver(metrics, logger),
  });
  const allocations = new AllocationFigures(metrics);
  const made = createRegistry({
    store,
    ...(otherStores && { storeOf: otherStores.storeOf }),
    vocabulary,
    prefix: config["etcd-prefix"],
    admission,
    log: logger,
    tracksFields: settings.gates.ServerSideApply,
    marksSubresources: hasField(schema, "ManagedFieldsEntry", "subresource", settings.release),
    itemOrder: existsIn(APPLIED_ORDER, settings.release) ? "applied" : "live",
    leavesDependents: config["enable-garbage-collector"],
    observer: { ...watchObserver(metrics), allocationAttempted: allocations.attempted },
    follows,
    historyRules: settings.history,
    checksConsistency: settings.gates.DetectCacheInconsistency,
    ...(loop && { loop }),
    ...(restored && { restored }),
  });
  const registry = seam?.(made) ?? made;
  const routes = routesFor(settings);
  const resources = new ServedResources({ registry, routes });
  const storages: ResourceStorages = serveBuiltIn(resources, { ...parts, schema, hasWorkers });
  // A large-object worker reads the objects of the main thread.
  const manifests =
    parts.readers === undefined
      ? new AdmissionManifests({
          ...{ vocabulary, logger, configurations: parts.configurations },
          isOn: settings.gates.ManifestBasedAdmissionControlConfig,
          definitions: () => resources.definitions(),
        })
      : undefined;
  manifests?.start();
  return { schema, admission, readers, registry, resources, storages, routes, allocations, manifests };
}

/** Whether a type of meta/v1 has a field. */
function hasField(schema: Schema, typeName: string, field: string, release: string): boolean {
  const type = schema.type("meta/v1", typeName);
  const found = type?.kind === "struct" ? type.fieldByName.get(field) : undefined;
  return found !== undefined && existsIn(found, release);
}
