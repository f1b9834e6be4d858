// Removes what a manager applied before and leaves out now, unless somebody else owns it. Source: resource-api, server-side apply
// rule 4; facts, ssa.md "Apply(live, config, …)", step 3.
import type { JsonObject } from "@orch/schema";
import { compareObjects } from "./compare";
import { type FieldSet, intersection, unionOfAll } from "./field-set";
import type { Owner } from "./managed-fields";
import { type PruneSets, pruneObject } from "./prune";
import { inVersion, type ObjectVersions, shapeIn } from "./versioned-change";

/**
 * @param merged in `apiVersion`
 * @param sets last: what the manager applied before, in any version; held: what it applies now, in `apiVersion`
 * @returns an object in `apiVersion`: `merged` itself when nothing goes
 */
export function withdraw(
  merged: JsonObject,
  apiVersion: string,
  sets: { readonly last: Owner; readonly held: FieldSet | undefined; readonly others: readonly OwnedFields[] },
  versions: ObjectVersions,
): JsonObject {
  const { last, held, others } = sets;
  const owned = held === undefined ? others : [...others, { apiVersion, fields: held }];
  const ownedIn = (version: string): Pick<PruneSets, "keep" | "held"> => ({
    keep: unionOfAll(owned.map((each) => (each.apiVersion === version ? each.fields : undefined))),
    held: version === apiVersion ? held : undefined,
  });
  const shape = shapeIn(versions, last.apiVersion);
  if (shape === undefined) return merged;
  const whole = inVersion(versions, merged, apiVersion, last.apiVersion);
  let rest = pruneObject(shape, whole, { last: last.fields, ...ownedIn(last.apiVersion) });
  if (rest === whole) return merged;
  for (const version of new Set(owned.map((each) => each.apiVersion))) {
    if (version === last.apiVersion) continue;
    rest = withOwned({ whole, rest, apiVersion: last.apiVersion }, { version, ...ownedIn(version) }, versions);
  }
  return inVersion(versions, rest, last.apiVersion, apiVersion);
}

type OwnedFields = Pick<Owner, "apiVersion" | "fields">;

/** Puts back what is owned in terms of another version. */
function withOwned(
  { whole, rest, apiVersion }: { readonly whole: JsonObject; readonly rest: JsonObject; readonly apiVersion: string },
  { version, keep, held }: { readonly version: string } & Pick<PruneSets, "keep" | "held">,
  versions: ObjectVersions,
): JsonObject {
  const shape = shapeIn(versions, version);
  if (shape === undefined) return rest;
  const wholeThere = inVersion(versions, whole, apiVersion, version);
  const gone = compareObjects(shape, wholeThere, inVersion(versions, rest, apiVersion, version))?.removed;
  if (gone === undefined || intersection(gone, keep) === undefined) return rest;
  return inVersion(versions, pruneObject(shape, wholeThere, { last: gone, keep, held }), version, apiVersion);
}
