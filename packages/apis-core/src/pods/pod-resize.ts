// Resize subresource: changes the resources of containers and nothing else. Source: KEP-1287, "In-place Update of Pod
// Resources".

import { objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

const LISTS = ["containers", "initContainers"] as const;
/** Fields of a container that a resize may change. */
const RESIZED = ["resources", "resizePolicy"] as const;

/** Restores everything except the resources of containers, which are matched by name. */
export function resizeAlone(pod: JsonObject, old: JsonObject): void {
  const asked = objectAt(pod, "spec");
  const spec: JsonObject = { ...(isObject(old["spec"]) ? old["spec"] : {}) };
  for (const list of LISTS) {
    const before = objectsAt(spec, list);
    if (before.length === 0) continue;
    const wanted = new Map(objectsAt(asked, list).map((container) => [container["name"], container]));
    spec[list] = before.map((container) => resized(container, wanted.get(container["name"] ?? "")));
  }
  pod["spec"] = spec;
}

function resized(container: JsonObject, wanted: JsonObject | undefined): JsonObject {
  if (wanted === undefined) return container;
  const next: JsonObject = { ...container };
  for (const field of RESIZED) {
    if (wanted[field] === undefined) delete next[field];
    else next[field] = wanted[field];
  }
  return next;
}
