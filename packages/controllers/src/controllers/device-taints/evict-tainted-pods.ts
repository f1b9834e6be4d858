// Device taint eviction controller: deletes pods that use devices with NoExecute taints which their claims do not
// tolerate, or no longer. Taints come from resource slices. Source:
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import {
  builtInTypes,
  type Client,
  type EventSink,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { isBeingDeleted, isCode, timestamp } from "@orch/machinery";
import type { coreV1, JsonObject, resourceV1 } from "@orch/schema";
import { claimingPod, claimNamesOf, isDone } from "../resource-claims/pod-claims";
import { evictingTaints, evictionMsOf, poolKey, poolKeyOf, resultsOf } from "./eviction-times";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

export interface DeviceTaintsContext {
  readonly client: Client;
  readonly events: EventSink;
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

const BY_CLAIM = "claim";
const BY_POOL = "pool";
const REASON = "DeletionByDeviceTaintManager";
const MESSAGE = "Device Taint manager: deleting due to NoExecute taint";

/** Runs the controller until the signal is aborted. */
export async function evictTaintedPods(
  { client, events, workers, metrics }: DeviceTaintsContext,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = client;
  const types = builtInTypes(client.vocabulary);
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("device_taint_eviction") });
  const factory = new InformerFactory(client);
  const pods = factory.informer(types.pods, { transform: claimingPod });
  const claims = factory.informer(types.resourceClaims);
  const slices = factory.informer(types.resourceSlices);
  pods.addIndex(BY_CLAIM, (pod) => claimNamesOf(pod).map((name) => `${pod.metadata?.namespace}/${name}`));
  claims.addIndex(BY_POOL, (claim) => [...new Set(resultsOf(claim).map(poolKey))]);
  slices.addIndex(BY_POOL, (slice) => [poolKeyOf(slice)]);

  const lookAtPod = (pod: Pod) => {
    if (pod.spec?.nodeName && claimNamesOf(pod).length > 0 && !isDone(pod)) queue.add(keyOf(pod));
  };
  const lookAtClaim = (claim: Claim) => {
    for (const pod of pods.store.byIndex(BY_CLAIM, keyOf(claim))) lookAtPod(pod);
  };
  const lookAtSlice = (slice: resourceV1.ResourceSlice) => {
    for (const claim of claims.store.byIndex(BY_POOL, poolKeyOf(slice))) lookAtClaim(claim);
  };
  pods.addHandler({ added: lookAtPod, updated: (_before, pod) => lookAtPod(pod) });
  claims.addHandler({ added: lookAtClaim, updated: (_before, claim) => lookAtClaim(claim) });
  slices.addHandler({ added: lookAtSlice, updated: (_before, slice) => lookAtSlice(slice), deleted: lookAtSlice });
  factory.start(signal);
  await Promise.all([pods, claims, slices].map((informer) => informer.synced(signal))).catch(() => {});

  function evictionMs(pod: Pod): number | undefined {
    const { namespace, uid } = pod.metadata ?? {};
    const times = claimNamesOf(pod).flatMap((name) => {
      const claim = claims.store.get(`${namespace}/${name}`);
      if (claim?.status?.reservedFor?.some((user) => user.uid === uid) !== true) return [];
      return resultsOf(claim).flatMap((result) => {
        const taints = evictingTaints(result, slices.store.byIndex(BY_POOL, poolKey(result)));
        return evictionMsOf(result, taints) ?? [];
      });
    });
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async function evict({ namespace = "", name = "", uid = "" }: NonNullable<Pod["metadata"]>): Promise<void> {
    const access = client.resource(types.pods).namespace(namespace);
    const known = await access.find(name);
    if (known === undefined || known.metadata?.uid !== uid || isBeingDeleted(known as JsonObject)) return;
    events.record({
      type: "Normal",
      reason: "DeviceTaintManagerEviction",
      action: "DeviceTaintManagerEviction",
      note: "Marking for deletion",
      regarding: { kind: "Pod", apiVersion: "v1", name, namespace, uid },
    });
    const lastTransitionTime = timestamp(clock.now());
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: REASON,
      message: MESSAGE,
      lastTransitionTime,
    };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await access.patch(name, "strategic", patch, { subresource: "status" });
      await access.delete(name, { preconditions: { uid } });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
  }

  async function reconcile(key: string): Promise<RequeueAfter | undefined> {
    const pod = pods.store.get(key);
    if (pod?.metadata === undefined || isBeingDeleted(pod as JsonObject) || isDone(pod)) return undefined;
    const atMs = evictionMs(pod);
    if (atMs === undefined) return undefined;
    const againAfterMs = atMs - clock.now();
    if (againAfterMs > 0) return { againAfterMs };
    await evict({ ...pod.metadata, namespace: splitKey(key).namespace });
    return undefined;
  }

  await runWorkers({ queue, workers, signal, log, reconcile });
  await factory.stopped();
}
