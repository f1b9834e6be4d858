// Storage version garbage collector: removes the entries of API servers without an identity Lease from StorageVersions,
// and StorageVersions without entries. Source: pkg/controller/storageversiongc/gc_controller.go.
import { withCommonEncoding } from "@orch/apis";
import {
  builtInTypes,
  type Client,
  InformerFactory,
  type QueueMetrics,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode, timestamp } from "@orch/machinery";
import { type internalV1alpha1, vocabularyOf } from "@orch/schema";

type StorageVersion = internalV1alpha1.StorageVersion;

export interface ClearStorageVersionsContext {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
export async function clearStorageVersions(
  { client, metrics }: ClearStorageVersionsContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const { groups, labels, labelValues, namespaces } = vocabularyOf(client.vocabulary);
  const type: ResourceType<StorageVersion> = {
    group: groups.internal,
    version: "v1alpha1",
    resource: "storageversions",
    kind: "StorageVersion",
    namespaced: false,
  };
  const leaseType = builtInTypes(client.vocabulary).leases;
  const access = client.resource(type);
  const liveLeases = client.resource(leaseType).namespace(namespaces.system);
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("storage_version_garbage_collector") });
  const factory = new InformerFactory(client);
  const versions = factory.informer(type);
  const leases = factory.informer(leaseType, {
    namespace: namespaces.system,
    labelSelector: `${labels.apiserverIdentity}=${labelValues.apiserver}`,
  });

  const isKnown = (server = "") => leases.store.get(`${namespaces.system}/${server}`) !== undefined;
  const look = (object: StorageVersion) => {
    if (serversOf(object).some(({ apiServerID }) => !isKnown(apiServerID))) queue.add(nameOf(object));
  };
  leases.addHandler({
    deleted() {
      for (const object of [...versions.store.values()]) look(object);
    },
  });
  factory.start(signal);
  await leases.synced(signal).catch(() => {});
  versions.addHandler({ added: look, updated: (_before, after) => look(after) });

  async function reconcile(name: string): Promise<undefined> {
    const object = await access.find(name, { signal });
    if (object === undefined) return undefined;
    const servers = serversOf(object);
    const live = await Promise.all(servers.map(({ apiServerID = "" }) => isLive(apiServerID)));
    const kept = servers.filter((_server, position) => live[position]);
    if (kept.length === servers.length) return undefined;
    const { generation = 0, uid = "", resourceVersion = "" } = object.metadata ?? {};
    try {
      if (kept.length === 0) await access.delete(name, { preconditions: { uid, resourceVersion }, signal });
      else {
        const status = withCommonEncoding(object.status, kept, { now: timestamp(clock.now()), generation });
        await access.updateStatus({ ...object, status }, { signal });
      }
    } catch (error) {
      if (!isCode(error, 404)) throw error;
    }
    return undefined;
  }

  /** Asks the server, whose answer is newer than the informer. */
  async function isLive(server: string): Promise<boolean> {
    const lease = server === "" ? undefined : await liveLeases.find(server, { signal });
    return lease?.metadata?.labels?.[labels.apiserverIdentity] === labelValues.apiserver;
  }

  await runWorkers({ queue, workers: 1, signal, log, reconcile });
  await factory.stopped();
}

const nameOf = ({ metadata }: StorageVersion): string => metadata?.name ?? "";
const serversOf = ({ status }: StorageVersion) => status?.storageVersions ?? [];
