// Extended resources that device classes serve, and claims that the scheduler makes for pods that ask for them. A quota
// for an extended resource counts the pods and the claims, but each device once. Source:
// staging/src/k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache/extendedresourcecache.go,
// pkg/quota/v1/evaluator/core/resource_claims.go.
import { metaOf, nameOf } from "@orch/machinery";
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";

/** Names of the extended resources, by the device class and the other way round. */
export class ClassResources {
  private readonly byClass = new Map<string, string>();
  private readonly served = new Set<string>();

  constructor(classes: Iterable<JsonObject>, { resourceNames }: Vocabulary) {
    for (const each of classes) {
      this.served.add(`${resourceNames.deviceclassResource}${nameOf(each)}`);
      const explicit = extendedResourceName(each);
      if (explicit === undefined) continue;
      this.byClass.set(nameOf(each), explicit);
      this.served.add(explicit);
    }
  }

  /** Returns the extended resource that a class names; undefined when it names none. */
  of(deviceClass: string): string | undefined {
    return this.byClass.get(deviceClass);
  }

  /** Returns whether a class serves the extended resource, by its name or as the class says. */
  has(resource: string): boolean {
    return this.served.has(resource);
  }
}

/** Returns the extended resource that a device class names. */
export function extendedResourceName({ spec }: JsonObject): string | undefined {
  const name = isObject(spec) ? spec["extendedResourceName"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

export interface ClaimingPod {
  readonly name: string;
  readonly uid: string;
}

/** Returns the pod that the scheduler has made a claim for; undefined for other claims. */
export function extendedClaimOwner(claim: JsonObject, { annotations }: Vocabulary): ClaimingPod | undefined {
  const { annotations: own = {}, ownerReferences = [] } = metaOf(claim);
  if (memberOf(own, annotations.resourceExtendedResourceClaim) !== "true") return undefined;
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner?.kind !== "Pod" || owner.apiVersion !== "v1") return undefined;
  return { name: owner.name ?? "", uid: owner.uid ?? "" };
}

/**
 * Returns whether the usage of a pod includes that of a claim. A pod that does not name its claim includes the oldest
 * one only.
 * @param others extended claims that the pod owns; read only while the pod names none
 */
export function includesClaim(pod: JsonObject, claim: JsonObject, others: () => Iterable<JsonObject>): boolean {
  const named = claimNamedBy(pod);
  if (named !== undefined) return named === nameOf(claim);
  for (const other of others()) if (isEarlier(other, claim)) return false;
  return true;
}

/** Returns the extended claim that a pod names. */
export function claimNamedBy({ status }: JsonObject): string | undefined {
  const named = isObject(status) ? status["extendedResourceClaimStatus"] : undefined;
  return isObject(named) ? String(named["resourceClaimName"] ?? "") : undefined;
}

function isEarlier(one: JsonObject, other: JsonObject): boolean {
  const [of, from] = [one, other].map((each) => metaOf(each).creationTimestamp ?? "");
  if (of === undefined || from === undefined || of === from) return nameOf(one) < nameOf(other);
  return of < from;
}
