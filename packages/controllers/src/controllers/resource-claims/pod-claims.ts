// Resource claims of pods: their names, and new ones from templates. Source:
// staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/claim.go, pkg/controller/resourceclaim/controller.go.
import type { coreV1, resourceV1, Vocabulary } from "@orch/schema";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

/** Characters of a name before the random ones. */
const BASE_MAX = 57;

/** Returns whether the pod will not use its claims any more. */
export const isDone = ({ status, metadata, spec }: Pod): boolean =>
  status?.phase === "Succeeded" ||
  status?.phase === "Failed" ||
  // A deleted pod without a node is not started.
  (Boolean(metadata?.deletionTimestamp) && !spec?.nodeName);

/** Returns the recorded name of a claim that was made for the pod; "" when it was not needed. */
const madeName = ({ status }: Pod, name: string): string | undefined => {
  const found = status?.resourceClaimStatuses?.find((each) => each.name === name);
  return found === undefined ? undefined : (found.resourceClaimName ?? "");
};

/** Returns the name of a pod's claim; undefined while there is none, "" when none is needed. */
export const claimNameOf = (pod: Pod, claim: coreV1.PodResourceClaim): string | undefined =>
  claim.resourceClaimName ?? madeName(pod, claim.name);

/** Returns the names of the claims that a pod has. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const named = (pod.spec?.resourceClaims ?? []).map((claim) => claimNameOf(pod, claim));
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  return [...named, extended].filter((name) => name !== undefined && name !== "") as readonly string[];
}

/** Returns the pod that a claim was made for. */
export function ownerOf({ metadata }: Claim): { readonly name: string; readonly uid: string } | undefined {
  return metadata?.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => apiVersion === "v1" && kind === "Pod" && controller === true,
  );
}

/** Returns the name of the pod group that a pod belongs to. */
const groupOf = ({ spec }: Pod): string | undefined => spec?.schedulingGroup?.podGroupName;

/**
 * Returns whether a claim from a template was made for another pod or pod group.
 * @param group API group of pod groups; undefined: pods have only claims of their own
 */
export function isMadeForAnother(pod: Pod, { metadata }: Claim, group: string | undefined): boolean {
  const entries = pod.spec?.resourceClaims ?? [];
  const isMade = entries.some((entry) => {
    return entry.resourceClaimTemplateName && madeName(pod, entry.name) === metadata?.name;
  });
  if (!isMade) return false;
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.uid === pod.metadata?.uid) return false;
  return !(
    group !== undefined &&
    owner?.kind === "PodGroup" &&
    owner.name === groupOf(pod) &&
    owner.apiVersion?.startsWith(`${group}/`) === true
  );
}

/** Returns whether a claim is reserved for a pod, or for its pod group. @param group see `isMadeForAnother` */
export function isReservedFor(pod: Pod, { status }: Claim, group: string | undefined): boolean {
  const own = groupOf(pod);
  return (status?.reservedFor ?? []).some(
    ({ uid, apiGroup, resource, name }) =>
      uid === pod.metadata?.uid ||
      (group !== undefined && own !== undefined && apiGroup === group && resource === POD_GROUPS && name === own),
  );
}

const POD_GROUPS = "podgroups";

/** Returns the reference by which a pod reserves a claim. */
export const userOf = ({ metadata }: Pod): resourceV1.ResourceClaimConsumerReference => ({
  resource: "pods",
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
});

/** Returns the start of the generated name; a long one keeps parts of both names. */
function nameBase(pod: string, claim: string): string {
  const whole = `${pod}-${claim}-`;
  if (whole.length <= BASE_MAX) return whole;
  const part = (text: string) => text.slice(0, Math.floor((text.length * BASE_MAX) / whole.length));
  return `${part(pod)}-${part(claim)}`;
}

/** Returns a new claim that the pod owns. */
export function claimFromTemplate(
  pod: Pod,
  name: string,
  { spec: { metadata = {}, spec } }: resourceV1.ResourceClaimTemplate,
  vocabulary: Vocabulary,
): Claim {
  const { name: podName = "", uid = "" } = pod.metadata ?? {};
  const { labels, annotations } = metadata;
  return {
    metadata: {
      generateName: nameBase(podName, name),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: podName, uid, controller: true }],
      annotations: { ...annotations, [vocabulary.annotations.resourcePodClaimName]: name },
      ...(labels && { labels }),
    },
    spec,
  } as Claim;
}

/** Returns the parts of a pod that the controller reads; the rest is many times as large. */
export function claimingPod({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata ?? {};
  const { phase, resourceClaimStatuses, extendedResourceClaimStatus } = status ?? {};
  return {
    metadata: { name, namespace, uid, resourceVersion, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: {
      nodeName: spec?.nodeName,
      resourceClaims: spec?.resourceClaims,
      containers: [],
      ...(spec?.schedulingGroup && { schedulingGroup: spec.schedulingGroup }),
    },
    status: { phase, resourceClaimStatuses, extendedResourceClaimStatus },
  } as Pod;
}
