// Objects that the server makes of itself, whichever replica comes first.
import { copyJson, metaOf } from "@orch/machinery";
import {
  createUnlessPresent as createObjectUnlessPresent,
  type Entry,
  type ObjectKey,
  type ResourceStorage,
} from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { ownWrite } from "../own-identity";

/** For one that is not the same in every cluster. @param object canonical @returns the object that was there already; undefined when it was created */
export const createUnlessPresent = (
  storage: ResourceStorage,
  object: JsonObject,
  vocabulary: Vocabulary,
): Promise<Entry | undefined> => createObjectUnlessPresent(storage, object, ownWrite(storage, vocabulary));

export function keyOf(object: JsonObject): ObjectKey {
  const { name = "", namespace = "" } = metaOf(object);
  return { name, namespace };
}

/** As a client's object would be stored: with its fields in order, and without those that say nothing. */
export function canonical({ definition }: ResourceStorage, object: JsonObject): JsonObject {
  const copy = copyJson(object);
  const version = definition.versions.find(({ apiVersion }) => apiVersion === copy["apiVersion"]);
  return version === undefined ? copy : version.type.decode(copy).value;
}
