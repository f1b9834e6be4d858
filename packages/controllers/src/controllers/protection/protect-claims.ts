// Protection of persistent volume claims: a deleted claim stays while pods use it. Source: Kubernetes documentation,
// "Persistent Volumes", "Storage Object in Use Protection".
import { builtInTypes, InformerFactory } from "@orch/client";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { type ProtectionContext, protectionQueue, protectObjects } from "./protect-objects";
import { claimKeysOf, USING_PODS, usingPod } from "./using-pods";

const BY_CLAIM = "claim";

/** Runs the controller until the signal is aborted. */
export async function protectClaims(context: ProtectionContext, signal: AbortSignal): Promise<void> {
  const { client } = context;
  const factory = new InformerFactory(client);
  const types = builtInTypes(client.vocabulary);
  const queue = protectionQueue(context, "pvcprotection");
  const pods = factory.informer(types.pods, { fieldSelector: USING_PODS, transform: usingPod });
  pods.addIndex(BY_CLAIM, claimKeysOf);
  const look = (pod: coreV1.Pod) => {
    for (const key of claimKeysOf(pod)) queue.add(key);
  };
  // The field selector excludes terminated pods: the informer reports them as deleted.
  pods.addHandler({ deleted: look });

  async function isInUse({ metadata }: coreV1.PersistentVolumeClaim): Promise<boolean> {
    const { namespace = "", name: claim = "" } = metadata ?? {};
    const key = `${namespace}/${claim}`;
    if (pods.store.byIndex(BY_CLAIM, key).length > 0) return true;
    for await (const pod of client.resource(types.pods).namespace(namespace).all({ fieldSelector: USING_PODS })) {
      if (claimKeysOf(pod).includes(key)) return true;
    }
    return false;
  }

  factory.start(signal);
  await pods.synced(signal).catch(() => {});
  await protectObjects(
    context,
    {
      type: types.persistentVolumeClaims,
      finalizer: vocabularyOf(client.vocabulary).finalizers.pvcProtection,
      objects: factory.informer(types.persistentVolumeClaims),
      isInUse,
    },
    queue,
    signal,
  );
  await factory.stopped();
}
