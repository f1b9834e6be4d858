// Access to an object's metadata. Objects have been decoded by their schema: a present field has its declared type.
import { isObject, type JsonObject } from "@orch/schema";

export interface OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: JsonObject;
  readonly subresource?: string;
}

/** Object metadata. Times are RFC 3339 in UTC with whole seconds. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string | null;
  readonly deletionGracePeriodSeconds?: number | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly clusterName?: string;
}

const EMPTY: ObjectMeta = Object.freeze({});

/** Returns the object's metadata, or an empty object when absent. The result is a view, not a copy. */
export function metaOf(object: JsonObject): ObjectMeta {
  const metadata = object["metadata"];
  return isObject(metadata) ? (metadata as ObjectMeta) : EMPTY;
}

/** Returns the object's metadata for writing; creates it when absent. */
export function writableMeta(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  if (isObject(metadata)) return metadata;
  const made: JsonObject = {};
  object["metadata"] = made;
  return made;
}

export const nameOf = (object: JsonObject): string => metaOf(object).name ?? "";

export const namespaceOf = (object: JsonObject): string => metaOf(object).namespace ?? "";

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze({});

export const labelsOf = (object: JsonObject): Readonly<Record<string, string>> => metaOf(object).labels ?? NO_LABELS;

/** Reports whether the object has a deletion time, and so waits for finalizers or the end of its grace period. */
export const isBeingDeleted = (object: JsonObject): boolean => Boolean(metaOf(object).deletionTimestamp);
