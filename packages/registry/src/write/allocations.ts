// Exclusive allocations of objects, such as cluster IPs and node ports, in the write verbs. See allocations.ts of the
// machinery package.
import { type AllocationContext, type AllocationKey, invalid, nameOf } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { StoredEntry } from "../objects/stored-entry";

/** Changes of an object's allocations in one write. */
export interface AllocationChange {
  readonly take: readonly AllocationKey[];
  /** Keys below the root. Not all of them are allocations. */
  readonly release: readonly string[];
}

const NOTHING: AllocationChange = { take: [], release: [] };

/**
 * Allocates the allocations that an object needs.
 * @param next in the storage version; changed in place
 * @throws StatusError Invalid (422) for an allocation that is taken or out of range; InternalError (500) when none is
 * left
 */
export function allocateUniqueValues(
  context: ResourceContext,
  { next, old }: { readonly next: JsonObject; readonly old: JsonObject | undefined },
  dryRun: boolean,
): void {
  const { allocations } = context.definition;
  if (allocations === undefined) return;
  const own = new Set(old === undefined ? [] : allocations.held(old));
  const allocation: AllocationContext = {
    taken: (allocation) => !own.has(allocation) && context.seenAllocations.has(allocation),
    count: (place) => context.watchCache.rawCount(place),
    random: () => fraction(context.randomness(4)),
    dryRun,
  };
  const errors = allocations.allocate(next, old, allocation);
  if (errors.length > 0) throw invalid(context.kind, nameOf(next), errors);
}

function fraction(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE(0) / 2 ** 32;
}

/** Computes the allocations that a write takes and releases. @param stored the new object; undefined for a deletion */
export function allocationChange(
  { definition }: ResourceContext,
  current: StoredEntry | undefined,
  stored: Buffer | undefined,
): AllocationChange {
  const { allocations } = definition;
  if (allocations === undefined) return NOTHING;
  const old = current?.object();
  const before = new Set(old === undefined ? [] : allocations.held(old));
  const after = new Set(stored === undefined ? [] : allocations.held(readJson(stored.toString()) as JsonObject));
  const release: string[] = [...before].filter((allocation) => !after.has(allocation));
  if (stored === undefined && old !== undefined) release.push(...(allocations.removedAlong?.(old) ?? []));
  return { take: [...after].filter((allocation) => !before.has(allocation)), release };
}

/** Returns the value stored at an allocation's key: the holder, for people who inspect the store. */
export const allocationValue = (holderKey: string): Buffer => Buffer.from(JSON.stringify({ heldBy: holderKey }));
