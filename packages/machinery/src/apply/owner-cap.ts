// Keeps the entries of an object few: of many updaters the oldest become one. Source: facts, ssa.md "Cap".
import { unionOfAll } from "./field-set";
import { type Owner, ownerKey } from "./managed-fields";

const UPDATERS_MAX = 10;
const MERGED_MANAGER = "ancient-changes";

/** Appliers are never merged, nor are fields of different versions or sub-resources. */
export function capped(owners: readonly Owner[]): readonly Owner[] {
  if (owners.length <= UPDATERS_MAX) return owners;
  const updaters = owners.filter((owner) => owner.operation === "Update");
  let surplus = updaters.length - UPDATERS_MAX;
  if (surplus <= 0) return owners;
  // The oldest of each kind: they are merged once there is another to merge them with.
  const groups = new Map<string, Owner[]>();
  for (const owner of updaters.sort(byAge)) {
    if (surplus <= 0) break;
    const kind = `${owner.apiVersion} ${owner.subresource}`;
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [owner]);
    else {
      group.push(owner);
      surplus -= 1;
    }
  }
  const gone = new Set<Owner>();
  const merged: Owner[] = [];
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    for (const owner of group) gone.add(owner);
    merged.push(mergedOwner(group));
  }
  return joined([...owners.filter((owner) => !gone.has(owner)), ...merged]);
}

/** @param owners the oldest first */
function mergedOwner(owners: readonly Owner[]): Owner {
  const youngest = owners.at(-1) as Owner;
  const fields = unionOfAll(owners.map((owner) => owner.fields)) ?? youngest.fields;
  return { ...youngest, manager: MERGED_MANAGER, fields };
}

/** A younger entry that was merged before now has a namesake. */
function joined(owners: readonly Owner[]): readonly Owner[] {
  const namesakes = new Map<string, Owner[]>();
  for (const owner of owners) {
    const key = ownerKey(owner);
    const others = namesakes.get(key);
    if (others === undefined) namesakes.set(key, [owner]);
    else others.push(owner);
  }
  return [...namesakes.values()].map((same) =>
    same.length === 1 ? (same[0] as Owner) : mergedOwner(same.sort(byAge)),
  );
}

function byAge(one: Owner, other: Owner): number {
  if (one.time !== other.time) return one.time < other.time ? -1 : 1;
  if (one.manager !== other.manager) return one.manager < other.manager ? -1 : 1;
  return one.apiVersion < other.apiVersion ? -1 : 1;
}
