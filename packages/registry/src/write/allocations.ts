// Exclusive allocations of objects, such as cluster IPs and node ports, in the write verbs. See unique-allocations.ts of
// the machinery package.
import {
  type AllocationContext,
  type AllocationKey,
  invalid,
  MOST_RECENT,
  nameOf,
  type PresentObjects,
} from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import { resourcePath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { listStored } from "../read/list-stored";
import { type CompanionWrite, companionsIn, companionWrite, isReplaceable, keyRemovedAlong } from "./companions";
import { recordedHolder } from "./recorded-holder";

/** Changes of an object's allocations in one write. */
export interface AllocationChange {
  readonly take: readonly AllocationKey[];
  /** Keys below the root. Not all of them are allocations. */
  readonly release: readonly string[];
  /** Objects that are written with the allocations that they represent. */
  readonly companions: readonly CompanionWrite[];
  /** Keys below the root that must still have these revisions. */
  readonly unchanged: readonly { readonly key: string; readonly revision: number }[];
}

const NOTHING: AllocationChange = { take: [], release: [], companions: [], unchanged: [] };

/**
 * Allocates the allocations that an object needs.
 * @param next in the storage version; changed in place
 * @returns undefined when there is nothing to wait for
 * @throws StatusError Invalid (422) for an allocation that is taken or out of range; InternalError (500) when none is
 * left; synchronously or later
 */
export function allocateUniqueValues(
  context: ResourceContext,
  change: { readonly next: JsonObject; readonly old: JsonObject | undefined },
  dryRun: boolean,
): Promise<void> | undefined {
  const { allocations } = context.definition;
  if (allocations === undefined) return undefined;
  if (context.watchCache.follows || allocations.reads === undefined) {
    allocate(context, change, { dryRun, objects: (resource) => presentObjects(context.peer(resource)) });
    return undefined;
  }
  return allocateFromStore(context, change, dryRun);
}

function allocate(
  context: ResourceContext,
  { next, old }: { readonly next: JsonObject; readonly old: JsonObject | undefined },
  world: Pick<AllocationContext, "dryRun" | "objects">,
): void {
  const { allocations } = context.definition;
  if (allocations === undefined) return;
  const own = new Set(old === undefined ? [] : allocations.held(old));
  const companions = companionsIn(context);
  const { allocationAttempted } = context.observer;
  const errors = allocations.allocate(next, old, {
    ...world,
    ...(allocationAttempted !== undefined && !world.dryRun && { attempted: allocationAttempted }),
    taken: (allocation) =>
      !own.has(allocation) && (context.seenAllocations.has(allocation) || !isReplaceable(companions, allocation)),
    holder: (allocation) => recordedHolder(context, allocation)?.path,
    count: (place) => context.watchCache.rawCount(place),
    random: () => fraction(context.randomness(4)),
  });
  if (errors.length > 0) throw invalid(context.kind, nameOf(next), errors);
}

/** Allocates without a cache, which is rare: the objects are read from the store. */
async function allocateFromStore(
  context: ResourceContext,
  change: { readonly next: JsonObject; readonly old: JsonObject | undefined },
  dryRun: boolean,
): Promise<void> {
  const read = new Map<ResourceContext, PresentObjects>();
  for (const resource of context.definition.allocations?.reads ?? []) {
    const peer = context.peer(resource);
    if (peer === undefined) continue;
    const request = { namespace: "", selection: {}, limit: 0, read: MOST_RECENT, startKey: "", revision: 0 };
    const { chunk } = await listStored(peer, request, {});
    read.set(peer, { state: chunk, all: () => chunk.entries.map((entry) => entry.object()) });
  }
  allocate(context, change, {
    dryRun,
    objects: (resource) => {
      const peer = context.peer(resource);
      return peer && read.get(peer);
    },
  });
}

/** Returns the cached objects of a resource. */
export const presentObjects = (of: ResourceContext | undefined): PresentObjects | undefined =>
  of && { state: of.cache.tree, all: () => of.cache.tree.slice().map((entry) => entry.object()) };

function fraction(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE(0) / 2 ** 32;
}

/** Computes the allocations that a write takes and releases. @param stored the new object; undefined for a deletion */
export function allocationChange(
  context: ResourceContext,
  { path, current }: { readonly path: string; readonly current: StoredEntry | undefined },
  stored: Buffer | undefined,
): AllocationChange {
  const { allocations } = context.definition;
  if (allocations === undefined) return NOTHING;
  const old = current?.object();
  const next = stored === undefined ? undefined : (readJson(stored.toString()) as JsonObject);
  const before = new Set(old === undefined ? [] : allocations.held(old));
  const after = new Set(next === undefined ? [] : allocations.held(next));
  const take = [...after].filter((allocation) => !before.has(allocation));
  const released = [...before].filter((allocation) => !after.has(allocation));
  if (allocations.holderBehind !== undefined) return ownShare(context, { path, next, take, released });
  const companions = companionsIn(context);
  const release: string[] = [...released];
  for (const allocation of old === undefined ? [] : released) {
    const key = keyRemovedAlong(companions, allocation, old);
    if (key !== undefined) release.push(key);
  }
  if (stored === undefined && old !== undefined) release.push(...(allocations.removedAlong?.(old) ?? []));
  return {
    take,
    release,
    companions:
      companions === undefined || next === undefined
        ? []
        : take.flatMap((allocation) => companionWrite(companions, allocation, next) ?? []),
    unchanged: [],
  };
}

/** Restricts a change to the allocations that the object itself has recorded, or that nothing has. */
function ownShare(
  context: ResourceContext,
  of: {
    readonly path: string;
    readonly next: JsonObject | undefined;
    readonly take: readonly AllocationKey[];
    readonly released: readonly AllocationKey[];
  },
): AllocationChange {
  const { group, plural, allocations } = context.definition;
  const own = `${resourcePath(group, plural)}/${of.path}`;
  const behind = of.next && allocations?.holderBehind?.(of.next);
  const recorded = of.released.flatMap((allocation) => {
    const holder = recordedHolder(context, allocation);
    return holder?.path === own ? [{ key: allocation, revision: holder.revision }] : [];
  });
  return {
    take: of.take.filter((allocation) => behind === undefined || recordedHolder(context, allocation)?.path !== behind),
    release: recorded.map(({ key }) => key),
    companions: [],
    unchanged: recorded,
  };
}

/** Returns the value stored at an allocation's key: the holder, for people who inspect the store. */
export const allocationValue = (holderKey: string): Buffer => Buffer.from(JSON.stringify({ heldBy: holderKey }));
