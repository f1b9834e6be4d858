// Resource claim controller: creates the claims of pods and pod groups from their templates, reserves allocated claims
// for pods that got a node without the scheduler, and releases claims that no pod uses any more. Source:
// pkg/controller/resourceclaim/controller.go.
import {
  builtInTypes,
  type Client,
  type EventSink,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { type coreV1, type resourceV1, vocabularyOf } from "@orch/schema";
import type { GateReader } from "../../framework/controller";
import type { DeviceMetrics } from "../../framework/device-metrics";
import type { SharedViews } from "../../framework/shared-views";
import { claimCounts } from "./claim-counts";
import { claimNamesOfGroup, type PodGroup, podGroupType } from "./claim-owners";
import { ClaimWork } from "./claim-work";
import { claimingPod, claimNamesOf, groupOf, isDone, ownerOf, templatesOf } from "./pod-claims";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

/** Context of the controllers that follow claims and their pods. */
export interface ClaimControllerContext {
  readonly client: Client;
  readonly events: EventSink;
  readonly views: SharedViews;
  readonly isOn: GateReader;
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly devices?: DeviceMetrics;
}

const BY_OWNER = "owner";
const BY_CLAIM = "claim";
const BY_TEMPLATE = "template";
const BY_GROUP = "group";

/** Runs the controller until the signal is aborted. */
export async function keepResourceClaims(context: ClaimControllerContext, signal: AbortSignal): Promise<void> {
  const { client, metrics, devices, events, views, isOn } = context;
  const types = builtInTypes(client.vocabulary);
  const queue = new WorkQueue<string>({ clock: client.clock, metrics: metrics?.("resource_claim") });
  const factory = new InformerFactory(client);
  const pods = factory.informer(types.pods, { transform: claimingPod });
  const claims = views.whole(types.resourceClaims);
  const templates = factory.informer(types.resourceClaimTemplates);
  const groupType = isOn("DRAWorkloadResourceClaims") ? await podGroupType(client, signal) : undefined;
  const groups = groupType && factory.informer<PodGroup>(groupType);
  claims.addIndex(BY_OWNER, (claim) => {
    const owner = ownerOf(claim, groupType?.group);
    return owner === undefined ? [] : [owner.uid];
  });
  const within = ({ metadata }: Pod | PodGroup, names: readonly string[]) =>
    names.map((name) => `${metadata?.namespace}/${name}`);
  pods.addIndex(BY_CLAIM, (pod) => within(pod, claimNamesOf(pod)));
  pods.addIndex(BY_TEMPLATE, (pod) => within(pod, templatesOf(pod.spec?.resourceClaims)));
  pods.addIndex(BY_GROUP, (pod) => within(pod, [groupOf(pod) ?? []].flat()));
  groups?.addIndex(BY_TEMPLATE, (group) => within(group, templatesOf(group.spec.resourceClaims)));

  const lookAtPod = (pod: Pod, isGone: boolean) => {
    if (!pod.spec?.resourceClaims?.length && !pod.status?.extendedResourceClaimStatus) return;
    if (isGone || isDone(pod)) for (const key of within(pod, claimNamesOf(pod))) queue.add(`claim ${key}`);
    else if (pod.spec?.resourceClaims?.length) queue.add(`pod ${keyOf(pod)}`);
  };
  pods.addHandler({
    added: (pod) => lookAtPod(pod, false),
    updated: (_before, pod) => lookAtPod(pod, false),
    deleted: (pod) => lookAtPod(pod, true),
  });
  const lookAtGroup = (group: PodGroup, isGone: boolean) => {
    if (!group.spec.resourceClaims?.length) return;
    if (isGone) for (const key of within(group, claimNamesOfGroup(group))) queue.add(`claim ${key}`);
    else queue.add(`group ${keyOf(group)}`);
    for (const pod of pods.store.byIndex(BY_GROUP, keyOf(group))) lookAtPod(pod, false);
  };
  groups?.addHandler({
    added: (group) => lookAtGroup(group, false),
    updated: (_before, group) => lookAtGroup(group, false),
    deleted: (group) => lookAtGroup(group, true),
  });
  const lookAtClaim = (claim: Claim) => {
    queue.add(`claim ${keyOf(claim)}`);
    for (const pod of pods.store.byIndex(BY_CLAIM, keyOf(claim))) lookAtPod(pod, false);
  };
  const lookAtOwner = (claim: Claim) => {
    const owner = ownerOf(claim, groupType?.group);
    if (owner !== undefined) queue.add(`${owner.isGroup ? "group" : "pod"} ${claim.metadata?.namespace}/${owner.name}`);
  };
  claims.addHandler({ added: lookAtClaim, updated: (_before, claim) => lookAtClaim(claim), deleted: lookAtOwner });
  const lookAtTemplate = (template: resourceV1.ResourceClaimTemplate) => {
    for (const pod of pods.store.byIndex(BY_TEMPLATE, keyOf(template))) lookAtPod(pod, false);
    for (const group of groups?.store.byIndex(BY_TEMPLATE, keyOf(template)) ?? []) lookAtGroup(group, false);
  };
  templates.addHandler({ added: lookAtTemplate, updated: (_before, template) => lookAtTemplate(template) });
  factory.start(signal);
  const informers = [pods, claims, templates, ...(groups ? [groups] : [])];
  await Promise.all(informers.map((informer) => informer.synced(signal))).catch(() => {});

  const vocabulary = vocabularyOf(client.vocabulary);
  devices?.countClaims(() => claimCounts(claims.store.values(), vocabulary));
  const work = new ClaimWork({
    ...{ client, events, devices, groupType, vocabulary },
    caches: {
      pod: (key) => pods.store.get(key),
      group: (key) => groups?.store.get(key),
      claim: (key) => claims.store.get(key),
      template: (key) => templates.store.get(key),
      claimsOwnedBy: (uid) => claims.store.byIndex(BY_OWNER, uid),
    },
  });
  async function reconcile(item: string): Promise<undefined> {
    const [kind, key = ""] = item.split(" ");
    if (kind === "claim") await work.claim(key);
    else await (kind === "pod" ? work.pod(key) : work.group(key));
  }
  await runWorkers({ queue, workers: context.workers, signal, log: client.log, reconcile });
  await factory.stopped();
}
