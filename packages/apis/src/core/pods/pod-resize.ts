// What the containers of a running pod ask for and may use can change, and nothing else through this sub-resource.
// Source: resource-api, "Sub-resources"; the practice of the field.
import { isObject, type JsonObject } from "@orch/schema";
import { objectAt, objectsAt } from "../../values/field-path";

const LISTS = ["containers", "initContainers"] as const;
/** Of a container, what a resize is about. */
const RESIZED = ["resources", "resizePolicy"] as const;

/** Everything but the resources of containers, by name, is as it was. */
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
