// The body of a write that brings back a former state: the state without the metadata that the server sets. The rest of
// the bytes is not parsed: an object may have some megabytes.
import type { ServedVersion } from "@orch/machinery";
import { type JsonObject, readJson, writeJson } from "@orch/schema";
import { metadataBytes } from "../objects/member-scan";
import { headOf } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";

const METADATA = '"metadata":';
/** Members that the server sets. */
const SET_BY_SERVER = [
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"],
  ...["deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"],
];
/** Finalizers that a deletion sets. */
const SET_BY_DELETION: readonly unknown[] = ["foregroundDeletion", "orphan"];

/** @param resourceVersion of the object that is replaced; "" for any */
export function restoredBody(entry: StoredEntry, version: ServedVersion, resourceVersion: string): Buffer {
  const json = entry.json(version);
  const at = headOf(version).length;
  if (json.toString("latin1", at, at + METADATA.length) !== METADATA) {
    const object = readJson(json.toString("utf8")) as JsonObject;
    return Buffer.from(writeJson({ ...object, metadata: clean(object["metadata"] as JsonObject, resourceVersion) }));
  }
  const metadata = metadataBytes(json, at + METADATA.length + 1);
  const cleaned = clean(readJson(metadata.toString("utf8")) as JsonObject, resourceVersion);
  const end = at + METADATA.length + metadata.length;
  return Buffer.concat([json.subarray(0, at), Buffer.from(`${METADATA}${writeJson(cleaned)}`), json.subarray(end)]);
}

function clean(metadata: JsonObject, resourceVersion: string): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(metadata)) {
    if (value !== undefined && !SET_BY_SERVER.includes(name)) kept[name] = value;
  }
  const { finalizers } = kept;
  if (Array.isArray(finalizers)) kept["finalizers"] = finalizers.filter((each) => !SET_BY_DELETION.includes(each));
  return resourceVersion === "" ? kept : { ...kept, resourceVersion };
}
