// Limits the number of managedFields entries: the oldest updaters are merged into one entry. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/capmanagers.go.
import { unionOfAll } from "./field-set";
import { type Owner, ownerKey } from "./managed-fields";

const UPDATERS_MAX = 10;
const MERGED_MANAGER = "ancient-changes";

/** Merges surplus updaters. Appliers are never merged, nor are entries of different versions. */
export function capped(owners: readonly Owner[]): readonly Owner[] {
  if (owners.length <= UPDATERS_MAX) return owners;
  const updaters = owners.filter((owner) => owner.operation === "Update");
  let surplus = updaters.length - UPDATERS_MAX;
  if (surplus <= 0) return owners;
  // The oldest updaters of each version. They are merged when the group has at least two.
  const groups = new Map<string, Owner[]>();
  for (const owner of updaters.sort(byAge)) {
    if (surplus <= 0) break;
    const group = groups.get(owner.apiVersion);
    if (group === undefined) groups.set(owner.apiVersion, [owner]);
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

/**
 * Merges owners into one.
 * @param owners sorted, the oldest first
 */
function mergedOwner(owners: readonly Owner[]): Owner {
  const youngest = owners.at(-1) as Owner;
  const fields = unionOfAll(owners.map((owner) => owner.fields)) ?? youngest.fields;
  return { ...youngest, manager: MERGED_MANAGER, subresource: "", fields };
}

/** Joins owners of equal identity: an entry merged earlier has the same manager name as a new merged one. */
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
