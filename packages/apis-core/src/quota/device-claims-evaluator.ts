// Usage of resource claims: their number, the devices of each class, and the extended resources that the classes serve.
// Source: pkg/quota/v1/evaluator/core/resource_claims.go.
import { isNative } from "@orch/apis-model";
import { metaOf } from "@orch/machinery";
import {
  addQuantities,
  isObject,
  type JsonObject,
  type JsonValue,
  memberOf,
  type Quantity,
  subtractQuantities,
  type Vocabulary,
} from "@orch/schema";
import { type ClassResources, extendedClaimOwner } from "./class-resources";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { NO_USAGE, ONE, type Usage, whole } from "./usage";

/** Most devices of a claim, which one that asks for all devices may receive. */
const DEVICES_MAX = 32;

const REQUESTS = "requests.";

export interface ExtendedUsage {
  /** Returns the extended resources of the device classes that exist now. */
  readonly resources: () => ClassResources;
  readonly podUsage: (pod: JsonObject, nowMs: number) => Usage;
}

/** @param extended absent: quotas do not count extended resources of claims */
export function deviceClaimsEvaluator(vocabulary: Vocabulary, extended?: ExtendedUsage): QuotaEvaluator {
  const { groups, resourceNames, annotations } = vocabulary;
  const count = `count/resourceclaims.${groups.resource}`;
  const ofClass = resourceNames.deviceclassDevicesResourceDevices;
  const implicit = resourceNames.requestsDeviceclassResource;

  const isExtended = (name: string): boolean =>
    extended !== undefined &&
    name.startsWith(REQUESTS) &&
    (name.startsWith(implicit) || !isNative(name, vocabulary)) &&
    extended.resources().has(name.slice(REQUESTS.length));

  /** Adds the extended resources that the devices are, less those that the pod is charged for. */
  function addExtended(usage: Map<string, Quantity>, { resources }: ExtendedUsage, charged: Usage): void {
    const more = new Map<string, Quantity>();
    for (const [name, devices] of usage) {
      if (!name.endsWith(ofClass) || name === ofClass) continue;
      const deviceClass = name.slice(0, -ofClass.length);
      more.set(`${implicit}${deviceClass}`, devices);
      const explicit = resources().of(deviceClass);
      if (explicit !== undefined) more.set(`${REQUESTS}${explicit}`, devices);
    }
    for (const [name, devices] of more) {
      const before = charged.get(name);
      const rest = before === undefined ? devices : subtractQuantities(devices, before);
      if (rest.nanos > 0n) usage.set(name, rest);
    }
  }

  return {
    resource: { group: groups.resource, resource: "resourceclaims" },
    chargesUpdates: true,
    knows: (name) => name === count || name.endsWith(ofClass) || isExtended(name),
    ...(extended && { includedBy: (claim) => extendedClaimOwner(claim, vocabulary) }),
    usage(claim, { nowMs, pod }) {
      const usage = new Map<string, Quantity>([[count, ONE]]);
      for (const request of requestsOf(claim)) {
        for (const [name, devices] of devicesOf(request)) {
          const key = `${name}${ofClass}`;
          const before = usage.get(key);
          usage.set(key, before === undefined ? whole(devices) : addQuantities(before, whole(devices)));
        }
      }
      if (extended) addExtended(usage, extended, pod === undefined ? NO_USAGE : extended.podUsage(pod, nowMs));
      return usage;
    },
    essence: (claim) => ({
      metadata: { ...countedMeta(claim), ...ownerEssence(claim, annotations.resourceExtendedResourceClaim) },
      spec: { devices: { requests: requestsOf(claim).map(essenceOf) } },
    }),
  };
}

/** Returns what connects an extended claim with its pod. */
function ownerEssence(claim: JsonObject, mark: string): JsonObject {
  const { annotations = {}, ownerReferences, creationTimestamp } = metaOf(claim);
  const marked = memberOf(annotations, mark);
  if (typeof marked !== "string") return {};
  return {
    annotations: { [mark]: marked },
    ...(ownerReferences && { ownerReferences: ownerReferences as unknown as JsonValue }),
    ...(creationTimestamp && { creationTimestamp }),
  };
}

function requestsOf({ spec }: JsonObject): readonly JsonObject[] {
  const devices = isObject(spec) ? spec["devices"] : undefined;
  const requests = isObject(devices) ? devices["requests"] : undefined;
  return Array.isArray(requests) ? requests.filter(isObject) : [];
}

/** Returns the devices by class: those of one class, or the most that any alternative takes of each class. */
function devicesOf({ exactly, firstAvailable }: JsonObject): ReadonlyMap<string, number> {
  const alternatives = Array.isArray(firstAvailable) ? firstAvailable : [];
  const devices = new Map<string, number>();
  for (const each of alternatives.length > 0 ? alternatives : [exactly ?? null]) {
    if (!isObject(each)) continue;
    const name = String(each["deviceClassName"] ?? "");
    devices.set(name, Math.max(devices.get(name) ?? 0, devicesWanted(each)));
  }
  return devices;
}

function devicesWanted({ allocationMode, count }: JsonObject): number {
  if (allocationMode === "All") return DEVICES_MAX;
  const devices = allocationMode === "ExactCount" ? Number(count ?? 0) : 0;
  return Number.isSafeInteger(devices) ? devices : 0;
}

const COUNTED = ["deviceClassName", "allocationMode", "count"] as const;

function counted(of: JsonValue): JsonObject {
  const kept: JsonObject = {};
  if (isObject(of)) for (const name of COUNTED) if (of[name] !== undefined) kept[name] = of[name] as JsonValue;
  return kept;
}

function essenceOf({ exactly, firstAvailable }: JsonObject): JsonObject {
  return {
    ...(exactly !== undefined && { exactly: counted(exactly) }),
    ...(Array.isArray(firstAvailable) && { firstAvailable: firstAvailable.map(counted) }),
  };
}
