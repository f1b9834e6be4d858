// Pods that are scheduled and not terminated, and the claims that they use.
import { metaOf, nameOf, namespaceOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

/** Field selector of those pods. */
export const USING_PODS = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

/** Returns the keys of the claims that a pod names and of those of its ephemeral volumes. */
export function claimKeysOf(pod: coreV1.Pod): readonly string[] {
  const [namespace, name] = [namespaceOf(pod as JsonObject), nameOf(pod as JsonObject)];
  return (pod.spec?.volumes ?? []).flatMap(({ name: volume, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim?.claimName) return [`${namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral ? [`${namespace}/${name}-${volume}`] : [];
  });
}

/** Returns the parts of a pod that the controller reads; the rest is many times as large. */
export function usingPod(pod: coreV1.Pod): coreV1.Pod {
  const { name, namespace, uid, resourceVersion } = metaOf(pod as JsonObject);
  const volumes = (pod.spec?.volumes ?? []).filter(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim || ephemeral,
  );
  return { metadata: { name, namespace, uid, resourceVersion }, spec: { volumes } } as coreV1.Pod;
}
