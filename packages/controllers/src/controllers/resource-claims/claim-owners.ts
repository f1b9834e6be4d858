// Owners of claims that are made from templates: pods, and pod groups whose pods share the claim. Source: KEP-5729, "DRA:
// resource claims for workloads"; pkg/controller/resourceclaim/controller.go.
import type { Client, ResourceType } from "@orch/client";
import { type coreV1, type resourceV1, type schedulingV1beta1, type Vocabulary, vocabularyOf } from "@orch/schema";
import { servedVersion } from "../../framework/served-version";
import { madeName, POD_GROUPS } from "./pod-claims";

export type PodGroup = schedulingV1beta1.PodGroup;
type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;

/** Characters of a name before the random ones. */
const BASE_MAX = 57;
/** Versions of pod groups; their claims are the same in all. */
const VERSIONS = ["v1beta1", "v1alpha3", "v1alpha2"];

export interface ClaimOwner {
  readonly apiVersion: string;
  readonly kind: "Pod" | "PodGroup";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Returns the type of pod groups in the newest version that the server serves; undefined when it serves none. */
export async function podGroupType(client: Client, signal: AbortSignal): Promise<ResourceType<PodGroup> | undefined> {
  const names = { group: vocabularyOf(client.vocabulary).groups.scheduling, resource: POD_GROUPS };
  const version = await servedVersion({ ...names, versions: VERSIONS }, client, signal);
  return version === undefined ? undefined : { ...names, version, kind: "PodGroup", namespaced: true };
}

export function podAsOwner({ metadata }: Pod): ClaimOwner {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  return { apiVersion: "v1", kind: "Pod", namespace, name, uid };
}

export function groupAsOwner({ metadata }: PodGroup, { group, version }: ResourceType<PodGroup>): ClaimOwner {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  return { apiVersion: `${group}/${version}`, kind: "PodGroup", namespace, name, uid };
}

/** Returns the entry of a pod group that is the same as one of a pod: the pods of the group share its claim. */
export const groupEntryOf = ({ spec }: PodGroup, entry: coreV1.PodResourceClaim) =>
  spec.resourceClaims?.find((each) => {
    return (["name", "resourceClaimName", "resourceClaimTemplateName"] as const).every(
      (member) => (each[member] ?? undefined) === (entry[member] ?? undefined),
    );
  });

/** Returns the reference by which a pod group reserves a claim. @param apiGroup API group of pod groups */
export const groupUser = ({ metadata }: PodGroup, apiGroup: string): resourceV1.ResourceClaimConsumerReference => ({
  apiGroup,
  resource: POD_GROUPS,
  name: metadata?.name ?? "",
  uid: metadata?.uid ?? "",
});

/** Returns the names of the claims that a pod group has. */
export function claimNamesOfGroup(group: PodGroup): readonly string[] {
  const names = (group.spec.resourceClaims ?? []).map((each) => each.resourceClaimName ?? madeName(group, each.name));
  return names.filter((name) => name !== undefined && name !== "") as readonly string[];
}

/** Returns the start of the generated name; a long one keeps parts of both names. */
function nameBase(owner: string, claim: string): string {
  const whole = `${owner}-${claim}-`;
  if (whole.length <= BASE_MAX) return whole;
  const part = (text: string) => text.slice(0, Math.floor((text.length * BASE_MAX) / whole.length));
  return `${part(owner)}-${part(claim)}`;
}

/** Returns a new claim that the owner controls. */
export function claimFromTemplate(
  { apiVersion, kind, name: ownerName, uid }: ClaimOwner,
  name: string,
  { spec: { metadata = {}, spec } }: resourceV1.ResourceClaimTemplate,
  vocabulary: Vocabulary,
): Claim {
  const { labels, annotations } = metadata;
  return {
    metadata: {
      generateName: nameBase(ownerName, name),
      ownerReferences: [{ apiVersion, kind, name: ownerName, uid, controller: true }],
      annotations: { ...annotations, [vocabulary.annotations.resourcePodClaimName]: name },
      ...(labels && { labels }),
    },
    spec,
  } as Claim;
}
