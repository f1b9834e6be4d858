// Keeps the entries of an object few: of many updaters the oldest become one. Source: facts, ssa.md "Cap".
import { union } from "./field-set";
import { type Owner, ownerKey } from "./managed-fields";

const UPDATERS_MAX = 10;
const MERGED_MANAGER = "ancient-changes";

/** Appliers are never merged, nor are fields of different versions or sub-resources. */
export function capped(owners: readonly Owner[]): readonly Owner[] {
  const updaters = owners.filter((owner) => owner.operation === "Update");
  let surplus = updaters.length - UPDATERS_MAX;
  if (surplus <= 0) return owners;
  const result = new Set(owners);
  // The oldest of each kind: it is merged once there is another to merge it with.
  const oldest = new Map<string, Owner>();
  for (const owner of updaters.sort(byAge)) {
    if (surplus <= 0) break;
    const kind = `${owner.apiVersion} ${owner.subresource}`;
    const other = oldest.get(kind);
    if (other === undefined) {
      oldest.set(kind, owner);
      continue;
    }
    const merged = mergedOwner(other, owner);
    result.delete(other);
    result.delete(owner);
    result.add(merged);
    oldest.set(kind, merged);
    surplus -= 1;
  }
  return joined([...result]);
}

const mergedOwner = (older: Owner, newer: Owner): Owner => ({
  ...newer,
  manager: MERGED_MANAGER,
  fields: union(older.fields, newer.fields) ?? newer.fields,
});

/** A younger entry that was merged before now has a namesake. */
function joined(owners: readonly Owner[]): readonly Owner[] {
  const result = new Map<string, Owner>();
  for (const owner of owners) {
    const key = ownerKey(owner);
    const namesake = result.get(key);
    if (namesake === undefined) result.set(key, owner);
    else result.set(key, namesake.time < owner.time ? mergedOwner(namesake, owner) : mergedOwner(owner, namesake));
  }
  return [...result.values()];
}

function byAge(one: Owner, other: Owner): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  if (one.manager !== other.manager) return one.manager < other.manager ? -1 : 1;
  return one.apiVersion < other.apiVersion ? -1 : 1;
}
