// Accessors of pods for plugins. Mutating admission receives pods before they are validated.
import { type GroupResource, metaOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionRule, AdmittedResource } from "../contract/plugin";

export const PODS: AdmittedResource = { group: "", plural: "pods", subresource: "" };
export const NAMESPACES: GroupResource = { group: "", resource: "namespaces" };

export const ON_NEW_PODS: readonly AdmissionRule[] = [{ operations: ["CREATE"], resources: [PODS] }];
export const ON_PODS: readonly AdmissionRule[] = [{ operations: ["CREATE", "UPDATE"], resources: [PODS] }];

export type ContainerList = "initContainers" | "containers" | "ephemeralContainers";

const NOTHING: readonly JsonObject[] = [];

/** Returns the pod's spec, to read and to change. Undefined for a pod without one, which validation refuses. */
export function specOf(pod: JsonObject | undefined): JsonObject | undefined {
  const spec = pod?.["spec"];
  return isObject(spec) ? spec : undefined;
}

/** Returns the containers of one list. */
export function containersIn(spec: JsonObject, list: ContainerList): readonly JsonObject[] {
  return objectsIn(spec, list);
}

/** Iterates over the containers of several lists, one list after the other. */
export function* containersOf(spec: JsonObject, ...lists: readonly ContainerList[]): Iterable<JsonObject> {
  for (const list of lists) yield* containersIn(spec, list);
}

/** Returns the requests or limits of a container: quantities keyed by resource name. Undefined when it has none. */
export function amountsOf(container: JsonObject, list: "requests" | "limits"): Amounts | undefined {
  const resources = container["resources"];
  const amounts = isObject(resources) ? resources[list] : undefined;
  return isObject(amounts) ? (amounts as Amounts) : undefined;
}

/** Canonical quantities keyed by resource name. */
export type Amounts = Readonly<Record<string, string>>;

/** Returns the objects of a list; empty when the field is not a list. */
export function objectsIn(object: JsonObject, field: string): readonly JsonObject[] {
  const list = object[field];
  if (!Array.isArray(list)) return NOTHING;
  return list.every(isObject) ? list : list.filter(isObject);
}

/** Returns a string map, such as labels or a selector; empty when there is none. */
export function textsIn(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const texts = object[field];
  return isObject(texts) ? (texts as Readonly<Record<string, string>>) : {};
}

export const annotationOf = (object: JsonObject, name: string): string | undefined =>
  metaOf(object).annotations?.[name];

/** Returns the object's spec, and adds an empty one when it has none. */
export function specToChange(object: JsonObject): JsonObject {
  const spec = specOf(object);
  if (spec !== undefined) return spec;
  const made: JsonObject = {};
  object["spec"] = made;
  return made;
}
