// Removes the fields that a manager applied before and no longer applies, unless another manager owns them. Source:
// "Server-Side Apply" in the Kubernetes documentation; `prune` in sigs.k8s.io/structured-merge-diff, merge/update.go.
import type { JsonObject } from "@orch/schema";
import { compareObjects } from "./compare";
import { type FieldSet, intersection, unionOfAll } from "./field-set";
import type { Owner } from "./managed-fields";
import { type PruneSets, pruneObject } from "./prune";
import { inVersion, type ObjectVersions, shapeIn } from "./versioned-change";

/**
 * Removes the fields that the manager no longer applies.
 * @param merged the merged object in `apiVersion`
 * @param sets last: the manager's previous fields, in any version; held: its current fields, in `apiVersion`
 * @returns an object in `apiVersion`: `merged` itself when nothing is removed
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

/** Restores pruned fields that are owned through another version. */
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
