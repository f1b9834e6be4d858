// Resource claims of pods: their names, owners and users. Source:
// staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/claim.go, pkg/controller/resourceclaim/controller.go.
import type { coreV1, resourceV1 } from "@orch/schema";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

/** Returns whether the pod will not use its claims any more. */
export const isDone = ({ status, metadata, spec }: Pod): boolean =>
  status?.phase === "Succeeded" ||
  status?.phase === "Failed" ||
  // A deleted pod without a node is not started.
  (Boolean(metadata?.deletionTimestamp) && !spec?.nodeName);

interface Recording {
  readonly status?: { readonly resourceClaimStatuses?: readonly coreV1.PodResourceClaimStatus[] };
}

/** Returns the recorded name of a claim that was made for a pod or a pod group; "" when it was not needed. */
export const madeName = ({ status }: Recording, name: string): string | undefined => {
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

/** Returns the names of the templates in the entries of a pod or a pod group. */
export const templatesOf = (entries: readonly coreV1.PodResourceClaim[] = []): readonly string[] => [
  ...new Set(entries.flatMap(({ resourceClaimTemplateName: name }) => (name ? [name] : []))),
];

export interface NamedOwner {
  readonly name: string;
  readonly uid: string;
  readonly isGroup: boolean;
}

/**
 * Returns the pod or the pod group that a claim was made for.
 * @param group API group of pod groups; undefined: pods have only claims of their own
 */
export function ownerOf({ metadata }: Claim, group?: string): NamedOwner | undefined {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return undefined;
  const { apiVersion = "", kind, name = "", uid = "" } = owner;
  const isGroup = group !== undefined && kind === "PodGroup" && apiVersion.startsWith(`${group}/`);
  return isGroup || (apiVersion === "v1" && kind === "Pod") ? { name, uid, isGroup } : undefined;
}

/** Returns the name of the pod group that a pod belongs to. */
export const groupOf = ({ spec }: Pod): string | undefined => spec?.schedulingGroup?.podGroupName;

/** Returns whether a claim from a template was made for another pod or pod group. @param group see `ownerOf` */
export function isMadeForAnother(pod: Pod, claim: Claim, group: string | undefined): boolean {
  const isMade = (pod.spec?.resourceClaims ?? []).some((entry) => {
    return entry.resourceClaimTemplateName && madeName(pod, entry.name) === claim.metadata?.name;
  });
  if (!isMade) return false;
  const owner = ownerOf(claim, group);
  return owner === undefined || !(owner.uid === pod.metadata?.uid || (owner.isGroup && owner.name === groupOf(pod)));
}

/** Returns whether a claim is reserved for a pod, or for its pod group. @param group see `ownerOf` */
export function isReservedFor(pod: Pod, { status }: Claim, group: string | undefined): boolean {
  const own = groupOf(pod);
  return (status?.reservedFor ?? []).some(
    ({ uid, apiGroup, resource, name }) =>
      uid === pod.metadata?.uid ||
      (group !== undefined && own !== undefined && apiGroup === group && resource === POD_GROUPS && name === own),
  );
}

export const POD_GROUPS = "podgroups";

/** Returns the reference by which a pod reserves a claim. */
export const userOf = ({ metadata }: Pod): resourceV1.ResourceClaimConsumerReference => ({
  resource: "pods",
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
});

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
