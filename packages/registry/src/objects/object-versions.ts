// The versions of one resource, as patches and the tracking of fields see them.

import { nameOf, type ObjectVersions, type ResourceDefinition, type ServedVersion } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { WriteConversions } from "../conversion/write-conversions";
import type { StoredEntry } from "./stored-entry";

export function objectVersions(
  { versions, formerVersions = [], storage }: ResourceDefinition,
  conversions?: WriteConversions,
): ObjectVersions {
  const byName = new Map([...versions, ...formerVersions].map((version) => [version.apiVersion, version]));
  const known = (apiVersion: string): ServedVersion => {
    const version = byName.get(apiVersion);
    if (version === undefined) throw new Error(`${storage.kind} has no version ${apiVersion}`);
    return version;
  };
  return {
    typeOf: (apiVersion) => byName.get(apiVersion)?.type,
    convert(object, from, to) {
      const [source, target] = [known(from), known(to)];
      if (conversions !== undefined) return convertedBy(conversions, object, source, target);
      const stored = source.toStorage?.(object) ?? object;
      return named(target, target.fromStorage?.(stored) ?? stored);
    },
  };
}

/** A stored object in a version, with its resource version: the caller's to change. */
export function inVersionOf(version: ServedVersion, entry: StoredEntry): JsonObject {
  if (entry.form.byVersion !== undefined) return readJson(entry.json(version).toString()) as JsonObject;
  const object = entry.object();
  if (version.fromStorage === undefined) return named(version, object);
  // What a conversion makes need not have all fields in place that a body of this version gets.
  return version.type.decode(named(version, version.fromStorage(object))).value;
}

/** What has no name, such as the state before an object was made, is nothing that anybody could convert. */
function convertedBy(
  conversions: WriteConversions,
  object: JsonObject,
  from: ServedVersion,
  to: ServedVersion,
): JsonObject {
  return nameOf(object) === "" ? named(to, object) : conversions.converted(object, from, to);
}

function named(version: ServedVersion, object: JsonObject): JsonObject {
  object["kind"] = version.kind;
  object["apiVersion"] = version.apiVersion;
  return object;
}
