// Quality of service class of a pod, computed from requests and limits at creation. Decoded quantities are canonical,
// so they are compared as text. Source: Kubernetes documentation, "Pod Quality of Service Classes".

import { type Features, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

const COUNTED = ["cpu", "memory"] as const;

export type QualityOfService = "Guaranteed" | "Burstable" | "BestEffort";

/** @param features absent: the resources of the pod as a whole do not count */
export function qualityOfService(spec: JsonObject, features?: Features): QualityOfService {
  const whole = isObject(spec["resources"]) && features?.isOn("PodLevelResources") === true;
  const counted = whole ? [spec] : [...objectsAt(spec, "initContainers"), ...objectsAt(spec, "containers")];
  const containers = counted.map(demands);
  const asked = containers.flatMap((each) => each.flatMap(({ request, limit }) => [request, limit]));
  if (asked.every((each) => each === undefined)) return "BestEffort";
  const bounded = containers.every((each) =>
    each.every(({ request, limit }) => limit !== undefined && request === limit),
  );
  return bounded ? "Guaranteed" : "Burstable";
}

interface Demand {
  readonly request: JsonValue | undefined;
  readonly limit: JsonValue | undefined;
}

function demands(container: JsonObject): Demand[] {
  const { resources } = container;
  if (!isObject(resources)) return COUNTED.map(() => ({ request: undefined, limit: undefined }));
  const { requests, limits } = resources;
  return COUNTED.map((name) => {
    const limit = amount(limits, name);
    // An absent request equals the limit; a request of 0 does not.
    const asks = isObject(requests) && (requests[name] ?? null) !== null;
    return { request: asks ? amount(requests, name) : limit, limit };
  });
}

/** Returns the amount; undefined for 0. */
function amount(amounts: JsonValue | undefined, name: string): JsonValue | undefined {
  const value = isObject(amounts) ? amounts[name] : undefined;
  return value === "0" || value === 0 ? undefined : value;
}
