// Default requests of containers with limits.

import { objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, memberOf, setMember } from "@orch/schema";

/** Sets missing requests to the limits. Applies to pods, not to pod templates. */
export function requestLimits(pod: JsonObject): void {
  const spec = objectAt(pod, "spec");
  for (const list of ["initContainers", "containers"]) {
    for (const container of objectsAt(spec, list)) {
      const { resources } = container;
      if (isObject(resources)) fillRequests(resources);
    }
  }
}

function fillRequests(resources: JsonObject): void {
  const { limits } = resources;
  if (!isObject(limits) || Object.keys(limits).length === 0) return;
  const requests = objectAt(resources, "requests");
  for (const name in limits) {
    if ((memberOf(requests, name) ?? null) === null) setMember(requests, name, limits[name] as string);
  }
}
