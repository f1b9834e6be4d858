// What containers ask for where they say only what they may use at most.
import { isObject, type JsonObject, memberOf, setMember } from "@orch/schema";
import { objectAt, objectsAt } from "../../values/field-path";

/** Who sets a limit and does not ask for less asks for as much. Pods alone, not templates of them. */
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
