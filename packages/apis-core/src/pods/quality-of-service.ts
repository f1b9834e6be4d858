// Quality of service class of a pod, computed from requests and limits at creation.
// Source: Kubernetes documentation, "Pod Quality of Service Classes"; pkg/apis/core/helper/qos/qos.go.

import { type Features, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue, parseQuantity } from "@orch/schema";

const COUNTED = ["cpu", "memory"] as const;

export type QualityOfService = "Guaranteed" | "Burstable" | "BestEffort";

/**
 * Every container of a guaranteed pod has limits, and the sums of requests and limits are equal.
 * @param features absent: the resources of the pod as a whole do not count
 */
export function qualityOfService(spec: JsonObject, features?: Pick<Features, "isOn">): QualityOfService {
  const whole = isObject(spec["resources"]) && features?.isOn("PodLevelResources") === true;
  const counted = whole ? [spec] : [...objectsAt(spec, "initContainers"), ...objectsAt(spec, "containers")];
  const demands = COUNTED.map((name) => counted.map((each) => demandOf(each, name)));
  const all = demands.flat();
  if (all.every(({ request, limit }) => request === undefined && limit === undefined)) return "BestEffort";
  if (all.some(({ limit }) => limit === undefined)) return "Burstable";
  return demands.every(areEqual) ? "Guaranteed" : "Burstable";
}

interface Demand {
  /** Undefined for 0. */
  readonly request: JsonValue | undefined;
  /** Undefined for 0. */
  readonly limit: JsonValue | undefined;
}

function demandOf({ resources }: JsonObject, name: string): Demand {
  if (!isObject(resources)) return { request: undefined, limit: undefined };
  const { requests, limits } = resources;
  const limit = amount(limits, name);
  // An absent request equals the limit; a request of 0 does not.
  const asks = isObject(requests) && (requests[name] ?? null) !== null;
  return { request: asks ? amount(requests, name) : limit, limit };
}

function amount(amounts: JsonValue | undefined, name: string): JsonValue | undefined {
  const value = isObject(amounts) ? amounts[name] : undefined;
  return value === "0" || value === 0 ? undefined : value;
}

/** Most requests are equal to the limits as texts. One amount has a canonical text for each family of suffixes. */
function areEqual(demands: readonly Demand[]): boolean {
  if (demands.every(({ request, limit }) => request === limit)) return true;
  const sum = (of: keyof Demand) => demands.reduce((total, { [of]: each }) => total + nanos(each), 0n);
  return sum("request") === sum("limit");
}

const nanos = (value: JsonValue | undefined): bigint => parseQuantity(String(value ?? "0"))?.nanos ?? 0n;
