// Resize subresource: changes the resources of containers and nothing else. Source: KEP-1287, "In-place Update of Pod
// Resources".

import { objectAt, objectsAt, type RuleContext } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

const LISTS = ["containers", "initContainers"] as const;
/** Fields of a container that a resize may change. */
const RESIZED = ["resources", "resizePolicy"] as const;

/**
 * Restores everything except the resources of containers, which are matched by name, and of the pod as a whole.
 * Containers that are added, removed or reordered remain, and validation rejects them.
 */
export function resizeAlone(pod: JsonObject, old: JsonObject, { features }: Pick<RuleContext, "features">): void {
  const asked = objectAt(pod, "spec");
  const spec: JsonObject = { ...(isObject(old["spec"]) ? old["spec"] : {}) };
  if (features.isOn("InPlacePodLevelResourcesVerticalScaling")) {
    if (asked["resources"] === undefined) delete spec["resources"];
    else spec["resources"] = asked["resources"];
  }
  for (const list of LISTS) {
    if (features.isOn("InPlacePodVerticalScaling") && !sameNames(asked, spec, list)) {
      spec[list] = objectsAt(asked, list);
      continue;
    }
    const before = objectsAt(spec, list);
    if (before.length === 0) continue;
    const wanted = new Map(objectsAt(asked, list).map((container) => [container["name"], container]));
    spec[list] = before.map((container) => resized(container, wanted.get(container["name"] ?? "")));
  }
  pod["spec"] = spec;
}

function sameNames(one: JsonObject, other: JsonObject, list: string): boolean {
  const names = (spec: JsonObject) => objectsAt(spec, list).map(({ name }) => name);
  const [first, second] = [names(one), names(other)];
  return first.length === second.length && first.every((name, position) => name === second[position]);
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
