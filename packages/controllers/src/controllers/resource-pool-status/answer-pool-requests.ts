// Resource pool status controller: answers each ResourcePoolStatusRequest once, and deletes old requests. Source:
// pkg/controller/resourcepoolstatusrequest/controller.go.
import {
  builtInTypes,
  type Client,
  InformerFactory,
  type QueueMetrics,
  type RequeueAfter,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { type resourceV1alpha3, vocabularyOf } from "@orch/schema";
import type { DeviceMetrics } from "../../framework/device-metrics";
import type { SharedViews } from "../../framework/shared-views";
import { BY_POOL, indexByPool, poolKey, resultsOf } from "../device-taints/pool-index";
import { isExpired, isIncomplete, type PoolObjects, poolStatus } from "./pool-status";

type Request = resourceV1alpha3.ResourcePoolStatusRequest;

export interface PoolRequestsContext {
  readonly client: Client;
  readonly views: SharedViews;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly devices?: DeviceMetrics;
}

const WORKERS = 1;
const CLEAN_MS = 10 * 60_000;
/** Pauses for a driver that has not published all slices of a pool yet. The request is answered after the last one. */
const PAUSES_MS = [100, 200, 400, 800, 1600] as const;
const BY_DRIVER = "driver";

/** Runs the controller until the signal is aborted. */
export async function answerPoolRequests(
  { client, views, metrics, devices }: PoolRequestsContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const types = builtInTypes(client.vocabulary);
  const type: ResourceType<Request> = {
    group: vocabularyOf(client.vocabulary).groups.resource,
    version: "v1alpha3",
    resource: "resourcepoolstatusrequests",
    kind: "ResourcePoolStatusRequest",
    namespaced: false,
  };
  const access = client.resource(type);
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("resourcepoolstatusrequest") });
  const factory = new InformerFactory(client);
  const requests = factory.informer(type);
  const slices = views.whole(types.resourceSlices);
  const claims = views.whole(types.resourceClaims);
  indexByPool({ slices, claims });
  slices.addIndex(BY_DRIVER, ({ spec }) => [spec.driver]);
  /** Number of pauses by the UID of the request. */
  const paused = new Map<string, number>();

  const look = ({ metadata, status }: Request) => {
    if (!status) queue.add(metadata?.name ?? "");
  };
  requests.addHandler({
    added: look,
    updated: (_before, request) => look(request),
    deleted: ({ metadata }) => void paused.delete(metadata?.uid ?? ""),
  });
  factory.start(signal);
  await Promise.all([requests, slices, claims].map((informer) => informer.synced(signal))).catch(() => {});

  const objects: PoolObjects = {
    slices: (driver) => slices.store.byIndex(BY_DRIVER, driver),
    allocated(driver, pool) {
      const key = poolKey({ driver, pool });
      const devices = claims.store.byIndex(BY_POOL, key).map((claim) => {
        return resultsOf(claim).filter((result) => poolKey(result) === key).length;
      });
      return devices.reduce((sum, count) => sum + count, 0);
    },
  };

  async function reconcile(name: string): Promise<RequeueAfter | undefined> {
    const request = requests.store.get(name);
    if (request === undefined || request.status) return undefined;
    const uid = request.metadata?.uid ?? "";
    const sinceMs = clock.elapsed();
    const status = poolStatus(request, objects, clock.now());
    const pauses = paused.get(uid) ?? 0;
    const againAfterMs = PAUSES_MS[pauses];
    if (isIncomplete(status) && againAfterMs !== undefined) {
      paused.set(uid, pauses + 1);
      return { againAfterMs };
    }
    let succeeded = false;
    try {
      await access.updateStatus({ ...request, status });
      succeeded = true;
    } finally {
      const seconds = (clock.elapsed() - sinceMs) / 1000;
      devices?.requestProcessed(request.spec.driver, { seconds, succeeded });
    }
    paused.delete(uid);
    return undefined;
  }

  async function clean(): Promise<void> {
    while (!signal.aborted) {
      for (const request of [...requests.store.values()]) {
        if (signal.aborted) return;
        if (isExpired(request, clock.now())) await remove(request);
      }
      await pauseUnlessAborted(clock, CLEAN_MS, signal);
    }
  }

  async function remove({ metadata = {} }: Request): Promise<void> {
    const { name = "", uid = "" } = metadata;
    try {
      await access.delete(name, { preconditions: { uid }, signal });
    } catch (error) {
      if (!signal.aborted && !isCode(error, 404, 409))
        log.warn("cannot delete an old pool status request", { name, error: String(error) });
    }
  }

  await Promise.all([runWorkers({ queue, workers: WORKERS, signal, log, reconcile }), clean()]);
  await factory.stopped();
}
