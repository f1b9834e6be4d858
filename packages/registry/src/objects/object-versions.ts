// The versions of one resource, as patches and the tracking of fields see them.

import type { ObjectVersions, ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { StoredEntry } from "./stored-entry";

export function objectVersions({ versions, formerVersions = [], storage }: ResourceDefinition): ObjectVersions {
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
      const stored = source.toStorage?.(object) ?? object;
      return named(target, target.fromStorage?.(stored) ?? stored);
    },
  };
}

/** A stored object in a version, with its resource version: the caller's to change. */
export function inVersionOf(version: ServedVersion, entry: StoredEntry): JsonObject {
  const object = entry.object();
  if (version.fromStorage === undefined) return named(version, object);
  // What a conversion makes need not have all fields in place that a body of this version gets.
  return version.type.decode(named(version, version.fromStorage(object))).value;
}

function named(version: ServedVersion, object: JsonObject): JsonObject {
  object["kind"] = version.kind;
  object["apiVersion"] = version.apiVersion;
  return object;
}
