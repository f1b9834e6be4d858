// Usage of resource claims: their number, and the devices of each class. Extended resources that devices serve are
// counted for the pods that ask for them. Source: pkg/quota/v1/evaluator/core/resource_claims.go.
import { addQuantities, isObject, type JsonObject, type JsonValue, type Quantity, type Vocabulary } from "@orch/schema";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { ONE, whole } from "./usage";

/** Most devices of a claim, which one that asks for all devices may receive. */
const DEVICES_MAX = 32;

export function deviceClaimsEvaluator({ groups, resourceNames }: Vocabulary): QuotaEvaluator {
  const count = `count/resourceclaims.${groups.resource}`;
  const ofClass = resourceNames.deviceclassDevicesResourceDevices;
  return {
    resource: { group: groups.resource, resource: "resourceclaims" },
    chargesUpdates: true,
    knows: (name) => name === count || name.endsWith(ofClass),
    usage(claim) {
      const usage = new Map<string, Quantity>([[count, ONE]]);
      for (const request of requestsOf(claim)) {
        for (const [name, devices] of devicesOf(request)) {
          const key = `${name}${ofClass}`;
          const before = usage.get(key);
          usage.set(key, before === undefined ? whole(devices) : addQuantities(before, whole(devices)));
        }
      }
      return usage;
    },
    essence: (claim) => ({
      metadata: countedMeta(claim),
      spec: { devices: { requests: requestsOf(claim).map(essenceOf) } },
    }),
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
