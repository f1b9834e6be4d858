// Creation of objects by the server itself, by whichever replica is first.
import { copyJson, metaOf } from "@orch/machinery";
import {
  createUnlessPresent as createObjectUnlessPresent,
  type Entry,
  type ObjectKey,
  type ResourceStorage,
} from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "./own-identity";

/**
 * Creates an object that differs between clusters.
 * @param object in canonical form
 * @returns the existing object; undefined when it was created
 */
export const createUnlessPresent = (
  storage: ResourceStorage,
  object: JsonObject,
  vocabulary: Vocabulary,
): Promise<Entry | undefined> => createObjectUnlessPresent(storage, object, serverWrite(storage, vocabulary));

export function keyOf(object: JsonObject): ObjectKey {
  const { name = "", namespace = "" } = metaOf(object);
  return { name, namespace };
}

/** Returns the object as a client's object is stored: fields in order, empty ones removed. */
export function canonical({ definition }: ResourceStorage, object: JsonObject): JsonObject {
  const copy = copyJson(object);
  const version = definition.versions.find(({ apiVersion }) => apiVersion === copy["apiVersion"]);
  return version === undefined ? copy : version.type.decode(copy).value;
}
