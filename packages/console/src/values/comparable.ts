import type { ApiObject } from "./api-object";

/** Returns the object without what the server alone sets, so that states can be compared. */
export function comparable(object: ApiObject): unknown {
  const { managedFields: _managers, resourceVersion: _version, generation: _generation, ...metadata } = object.metadata;
  const { status: _status, ...fields } = object;
  return { ...fields, metadata };
}
