// Objects that configure admission.
import { collectionPath, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { itemsOf } from "../requests/lists";
import { names } from "../session/settings";
import type { ApiObject } from "../values/api-object";

export interface AdmissionObjects<T> {
  /** Undefined when the server does not serve it. */
  readonly resource: Resource | undefined;
  readonly items: readonly T[];
}

/** @param name plural name of the resource @throws ApiFailure */
export async function admissionObjects<T extends ApiObject>(
  name: string,
  signal: AbortSignal,
): Promise<AdmissionObjects<T>> {
  const resource = findResource(names().admissionRegistration, name);
  if (resource === undefined) return { resource, items: [] };
  return { resource, items: (await itemsOf<T>(collectionPath(resource), { signal })).items };
}
