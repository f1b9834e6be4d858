// Device taint eviction controller: deletes pods that use devices with NoExecute taints which their claims do not
// tolerate, or no longer. Taints come from resource slices and from device taint rules, whose status tells how many pods
// are still to leave. Source: pkg/controller/devicetainteviction/device_taint_eviction.go.
import { builtInTypes, InformerFactory, keyOf, type RequeueAfter, runWorkers, splitKey, WorkQueue } from "@orch/client";
import { isBeingDeleted, isCode, timestamp } from "@orch/machinery";
import { type coreV1, type JsonObject, type resourceV1, vocabularyOf } from "@orch/schema";
import type { ClaimControllerContext } from "../resource-claims/keep-resource-claims";
import { claimingPod, claimNamesOf, isDone } from "../resource-claims/pod-claims";
import type { Eviction, TaintRule } from "./eviction-times";
import { BY_POOL, indexByPool, poolKeyOf } from "./pool-index";
import { STATUS_PERIOD_MS } from "./rule-condition";
import { RuleStatuses, ruleInformer } from "./rule-statuses";
import { BY_CLAIM, TaintedPods } from "./tainted-pods";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

const REASON = "DeletionByDeviceTaintManager";
const MESSAGE = "Device Taint manager: deleting due to NoExecute taint";
const POD = "pod";
const RULE = "rule";

/** Runs the controller until the signal is aborted. */
export async function evictTaintedPods(context: ClaimControllerContext, signal: AbortSignal): Promise<void> {
  const { client, events, workers, metrics, devices, views, isOn } = context;
  const { clock, log } = client;
  const types = builtInTypes(client.vocabulary);
  const queue = new WorkQueue<string>({ clock, metrics: metrics?.("device_taint_eviction") });
  const factory = new InformerFactory(client);
  const pods = factory.informer(types.pods, { transform: claimingPod });
  const claims = views.whole(types.resourceClaims);
  const slices = views.whole(types.resourceSlices);
  const rules = isOn("DRADeviceTaintRules") ? await ruleInformer(client, factory, signal) : undefined;
  indexByPool({ slices, claims });
  pods.addIndex(BY_CLAIM, (pod) => claimNamesOf(pod).map((name) => `${pod.metadata?.namespace}/${name}`));
  const tainted = new TaintedPods(
    { pods: pods.store, claims: claims.store, slices: slices.store, rules: () => rules?.informer.store.values() ?? [] },
    { vocabulary: vocabularyOf(client.vocabulary), sharesGroups: isOn("DRAWorkloadResourceClaims") },
  );
  const statuses = rules && new RuleStatuses({ client, tainted, ...rules });
  /** Pods that are to leave later, by their key, with their UID. */
  const planned = new Map<string, string>();

  const lookAtPod = (pod: Pod) => {
    if (pod.spec?.nodeName && claimNamesOf(pod).length > 0 && !isDone(pod)) queue.add(`${POD} ${keyOf(pod)}`);
  };
  const lookAtClaim = (claim: Claim) => {
    for (const pod of tainted.podsOf(claim)) lookAtPod(pod);
  };
  const lookAtSlice = (slice: resourceV1.ResourceSlice) => {
    for (const claim of claims.store.byIndex(BY_POOL, poolKeyOf(slice))) lookAtClaim(claim);
  };
  const lookAtRule = (rule: TaintRule) => {
    for (const claim of tainted.claimsBy(rule)) lookAtClaim(claim);
  };
  const reportOn = (rule: TaintRule) => queue.add(`${RULE} ${rule.metadata?.name}`);
  pods.addHandler({
    added: lookAtPod,
    updated: (_before, pod) => lookAtPod(pod),
    deleted: (pod) => void planned.delete(keyOf(pod)),
  });
  claims.addHandler({ added: lookAtClaim, updated: (_before, claim) => lookAtClaim(claim), deleted: lookAtClaim });
  slices.addHandler({ added: lookAtSlice, updated: (_before, slice) => lookAtSlice(slice), deleted: lookAtSlice });
  rules?.informer.addHandler({
    added(rule, isInInitialList) {
      reportOn(rule);
      // The initial list of pods queues all of them.
      if (!isInInitialList) lookAtRule(rule);
    },
    updated(before, rule) {
      if (before.metadata?.uid === rule.metadata?.uid && isSameSpec(before, rule)) return;
      reportOn(rule);
      for (const each of [before, rule]) lookAtRule(each);
    },
    deleted(rule) {
      statuses?.forget(rule);
      lookAtRule(rule);
    },
  });
  factory.start(signal);
  const informers = [pods, claims, slices, ...(rules ? [rules.informer] : [])];
  await Promise.all(informers.map((informer) => informer.synced(signal))).catch(() => {});

  const record = ({ namespace = "", name = "", uid = "" }: NonNullable<Pod["metadata"]>, note: string): void =>
    events.record({
      type: "Normal",
      reason: "DeviceTaintManagerEviction",
      action: "DeviceTaintManagerEviction",
      note,
      regarding: { kind: "Pod", apiVersion: "v1", name, namespace, uid },
    });

  /** @returns whether this process has deleted the pod */
  async function evict({ namespace = "", name = "", uid = "" }: NonNullable<Pod["metadata"]>): Promise<boolean> {
    const access = client.resource(types.pods).namespace(namespace);
    const known = await access.find(name);
    if (known === undefined || known.metadata?.uid !== uid || isBeingDeleted(known as JsonObject)) return false;
    record({ namespace, name, uid }, "Marking for deletion");
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
      return true;
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
      return false;
    }
  }

  /** Updates the status of the rules later: more pods may follow, and the cache lags behind. */
  function reportLater({ rules }: Eviction): void {
    for (const { metadata } of rules) queue.addAfter(`${RULE} ${metadata?.name}`, STATUS_PERIOD_MS);
  }

  async function reconcilePod(key: string): Promise<RequeueAfter | undefined> {
    const pod = pods.store.get(key);
    if (pod?.metadata === undefined || isBeingDeleted(pod as JsonObject) || isDone(pod)) {
      planned.delete(key);
      return undefined;
    }
    const eviction = tainted.evictionOf(pod);
    if (eviction === undefined) {
      if (planned.delete(key)) record({ ...pod.metadata, namespace: splitKey(key).namespace }, "Cancelling deletion");
      return undefined;
    }
    const againAfterMs = eviction.atMs - clock.now();
    if (againAfterMs > 0) {
      if (planned.get(key) !== pod.metadata.uid) reportLater(eviction);
      planned.set(key, pod.metadata.uid ?? "");
      return { againAfterMs };
    }
    planned.delete(key);
    if (!(await evict({ ...pod.metadata, namespace: splitKey(key).namespace }))) return undefined;
    devices?.podEvicted((clock.now() - eviction.atMs) / 1000);
    for (const rule of eviction.rules) statuses?.evicted(rule);
    reportLater(eviction);
    return undefined;
  }

  async function reconcile(item: string): Promise<RequeueAfter | undefined> {
    const [kind, key = ""] = item.split(" ");
    return kind === POD ? reconcilePod(key) : statuses?.report(key);
  }

  await runWorkers({ queue, workers, signal, log, reconcile });
  await factory.stopped();
}

const isSameSpec = (one: TaintRule, other: TaintRule): boolean =>
  JSON.stringify(one.spec) === JSON.stringify(other.spec);
