// The versions of one resource, in the form that patches and managedFields use.

import { nameOf, type ObjectVersions, type ResourceDefinition, type ServedVersion } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { StoredEntry } from "../objects/stored-entry";
import type { WriteConversions } from "./write-conversions";

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

/** Returns a stored object in a version, with its resource version. The caller may change it. */
export function inVersionOf(version: ServedVersion, entry: StoredEntry): JsonObject {
  if (entry.form.byVersion !== undefined) return readJson(entry.json(version).toString()) as JsonObject;
  const object = entry.object();
  if (version.fromStorage === undefined) return named(version, object);
  // The result of a conversion may lack fields that decoding adds to a body of this version.
  return version.type.decode(named(version, version.fromStorage(object))).value;
}

/** An object without a name, such as the empty state before a create, is not sent to the converter. */
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
