// Parts of a pod as plugins look at them and change them: admission sees pods before their own rules have been looked at.
import { type GroupResource, metaOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { AdmissionRule, AdmittedResource } from "../plugin";

export const PODS: AdmittedResource = { group: "", plural: "pods", subresource: "" };
export const NAMESPACES: GroupResource = { group: "", resource: "namespaces" };

export const ON_NEW_PODS: readonly AdmissionRule[] = [{ operations: ["CREATE"], resources: [PODS] }];
export const ON_PODS: readonly AdmissionRule[] = [{ operations: ["CREATE", "UPDATE"], resources: [PODS] }];

export type ContainerList = "initContainers" | "containers" | "ephemeralContainers";

const NOTHING: readonly JsonObject[] = [];

/** The pod's own, to read and to change. Undefined for one that has none, which its rules refuse. */
export function specOf(pod: JsonObject | undefined): JsonObject | undefined {
  const spec = pod?.["spec"];
  return isObject(spec) ? spec : undefined;
}

/** Those of one list. */
export function containersIn(spec: JsonObject, list: ContainerList): readonly JsonObject[] {
  return objectsIn(spec, list);
}

/** Those of several lists, one list after the other. */
export function* containersOf(spec: JsonObject, ...lists: readonly ContainerList[]): Iterable<JsonObject> {
  for (const list of lists) yield* containersIn(spec, list);
}

/** What a container asks for, or may use at most: amounts by resource. Undefined where it says nothing. */
export function amountsOf(container: JsonObject, list: "requests" | "limits"): Amounts | undefined {
  const resources = container["resources"];
  const amounts = isObject(resources) ? resources[list] : undefined;
  return isObject(amounts) ? (amounts as Amounts) : undefined;
}

/** Canonical texts of quantities by name of resource. */
export type Amounts = Readonly<Record<string, string>>;

/** The objects of a list; nothing where there is no list. */
export function objectsIn(object: JsonObject, field: string): readonly JsonObject[] {
  const list = object[field];
  if (!Array.isArray(list)) return NOTHING;
  return list.every(isObject) ? list : list.filter(isObject);
}

/** Texts by name, such as labels and selectors; empty where there are none. */
export function textsIn(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const texts = object[field];
  return isObject(texts) ? (texts as Readonly<Record<string, string>>) : {};
}

export const annotationOf = (object: JsonObject, name: string): string | undefined =>
  metaOf(object).annotations?.[name];

/** Of any object whose specification may be empty; made where it has none. */
export function specToChange(object: JsonObject): JsonObject {
  const spec = specOf(object);
  if (spec !== undefined) return spec;
  const made: JsonObject = {};
  object["spec"] = made;
  return made;
}
