// Protection of pod groups: a deleted group stays while a pod that has not ended names it. Source:
// pkg/controller/scheduling/podgroupprotection/podgroup_protection_controller.go.
import { builtInTypes, InformerFactory, keyOf } from "@orch/client";
import { metaOf } from "@orch/machinery";
import { type coreV1, type JsonObject, vocabularyOf } from "@orch/schema";
import { podGroupType } from "../resource-claims/claim-owners";
import { groupOf } from "../resource-claims/pod-claims";
import { type ProtectionContext, protectionQueue, protectObjects } from "./protect-objects";

const BY_GROUP = "group";

/** Field selector of pods that have not ended. */
const RUNNING_PODS = "status.phase!=Succeeded,status.phase!=Failed";

/** Returns the key of the group that a pod names; none for a pod without a group. */
export function groupKeysOf(pod: coreV1.Pod): string[] {
  const name = groupOf(pod);
  return typeof name === "string" ? [`${pod.metadata?.namespace}/${name}`] : [];
}

/** Returns the parts of a pod that the controller reads; the rest is many times as large. */
export function groupedPod(pod: coreV1.Pod): coreV1.Pod {
  const { name, namespace, uid, resourceVersion } = metaOf(pod as JsonObject);
  const group = pod.spec?.schedulingGroup;
  return {
    metadata: { name, namespace, uid, resourceVersion },
    spec: group && { schedulingGroup: group },
  } as coreV1.Pod;
}

/** Runs the controller until the signal is aborted. */
export async function protectPodGroups(context: ProtectionContext, signal: AbortSignal): Promise<void> {
  const { client } = context;
  const type = await podGroupType(client, signal);
  if (type === undefined) return;
  const factory = new InformerFactory(client);
  const queue = protectionQueue(context, "podgroupprotection");
  const pods = factory.informer(builtInTypes(client.vocabulary).pods, {
    fieldSelector: RUNNING_PODS,
    transform: groupedPod,
  });
  const groups = factory.informer(type);
  pods.addIndex(BY_GROUP, groupKeysOf);
  const look = (pod: coreV1.Pod) => {
    for (const key of groupKeysOf(pod)) queue.add(key);
  };
  pods.addHandler({ updated: look, deleted: look });
  factory.start(signal);
  await pods.synced(signal).catch(() => {});
  const finalizer = vocabularyOf(client.vocabulary).finalizers.podGroupProtection;
  const isInUse = (group: object): boolean => pods.store.byIndex(BY_GROUP, keyOf(group)).length > 0;
  await protectObjects(context, { type, finalizer, objects: groups, isInUse }, queue, signal);
  await factory.stopped();
}
