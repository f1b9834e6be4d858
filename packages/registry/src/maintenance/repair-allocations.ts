// Repairs the records of exclusive allocations, such as cluster IPs. Allocations and objects are written
// together, so they normally agree; a change made directly in the store may break that. Source:
// pkg/registry/core/service/ipallocator/controller/repair.go.
import type { AllocationKey, GroupResource } from "@orch/machinery";
import type { ResourceContext } from "../context/resource-context";
import type { AllocationRepairs, HeldAllocations } from "../contract/operations";
import { resourcePath, splitKey } from "../objects/key-layout";
import { allocationValue, presentObjects } from "../write/allocations";
import { recordedHolder } from "../write/recorded-holder";

const NONE: HeldAllocations = new Map();

/** Number of passes in which an allocation without an object is left alone. No write in progress lasts that long. */
const PASSES_BEFORE_RELEASE = 3;
/** Number of objects read between two pauses. */
const SLICE_OBJECTS = 100;

export class AllocationRepairer {
  /** Allocations without an object, with their revision and the number of passes that met them. */
  private unheld = new Map<AllocationKey, { readonly revision: number; readonly passes: number }>();

  constructor(private readonly context: ResourceContext) {}

  /** @throws StoreError when the store cannot be reached */
  async pass(): Promise<AllocationRepairs> {
    const { allocations } = this.context.definition;
    if (allocations === undefined) return { released: [], recorded: NONE, shared: NONE, withdrawn: NONE };
    // Both belong to one moment: a tree is immutable, and the allocations are copied.
    const recorded = new Map(allocations.places.flatMap((place) => this.recorded(place)));
    const holders = await this.holders();
    const world = { objects: (resource: GroupResource) => presentObjects(this.context.peer(resource)) };
    const isUnheld = (allocation: AllocationKey) =>
      !holders.has(allocation) && allocations.holderBehind === undefined && !this.isHeldElsewhere(allocation);
    return {
      released: await this.release([...recorded].filter(([allocation]) => isUnheld(allocation))),
      recorded: await this.record([...holders].filter(([allocation]) => !recorded.has(allocation))),
      shared: new Map([...holders].filter(([, paths]) => paths.length > 1)),
      withdrawn: new Map([...holders].filter(([allocation]) => allocations.isOffered?.(allocation, world) === false)),
    };
  }

  /** Whether an object of another resource holds an allocation, such as an IPAddress. */
  private isHeldElsewhere(allocation: AllocationKey): boolean {
    const { path } = recordedHolder(this.context, allocation) ?? { path: "" };
    const { group, plural } = this.context.definition;
    const split = splitKey("", `/${path}`);
    return (
      split !== undefined &&
      split.path !== resourcePath(group, plural) &&
      this.context.watchCache.holds(split.path, split.rest)
    );
  }

  private recorded(place: string): [AllocationKey, number][] {
    return this.context.watchCache.rawItems(place).map(({ path, modRevision }) => [`${place}/${path}`, modRevision]);
  }

  private async holders(): Promise<ReadonlyMap<AllocationKey, string[]>> {
    const { cache, definition } = this.context;
    const holders = new Map<AllocationKey, string[]>();
    const entries = cache.tree.slice();
    for (let at = 0; at < entries.length; at += SLICE_OBJECTS) {
      for (const entry of entries.slice(at, at + SLICE_OBJECTS)) {
        for (const allocation of definition.allocations?.held(entry.object()) ?? []) {
          holders.set(allocation, [...(holders.get(allocation) ?? []), entry.path]);
        }
      }
      await new Promise(setImmediate);
    }
    return holders;
  }

  private async release(unheld: readonly (readonly [AllocationKey, number])[]): Promise<readonly AllocationKey[]> {
    const { prefix, store } = this.context;
    const met = new Map<AllocationKey, { readonly revision: number; readonly passes: number }>();
    const released: AllocationKey[] = [];
    for (const [allocation, revision] of unheld) {
      const before = this.unheld.get(allocation);
      const passes = before?.revision === revision ? before.passes + 1 : 1;
      if (passes < PASSES_BEFORE_RELEASE) {
        met.set(allocation, { revision, passes });
        continue;
      }
      const key = `${prefix}/${allocation}`;
      const { succeeded } = await store.txn({
        compare: [{ key, target: "modRevision", is: "=", revision }],
        then: [{ kind: "delete", start: key }],
      });
      if (succeeded) released.push(allocation);
    }
    this.unheld = met;
    return released;
  }

  private async record(missing: readonly (readonly [AllocationKey, readonly string[]])[]): Promise<HeldAllocations> {
    const { prefix, store, keys, cache } = this.context;
    const recorded = new Map<AllocationKey, readonly string[]>();
    for (const [allocation, paths] of missing) {
      const [path = ""] = paths;
      const holder = cache.peek(path);
      if (holder === undefined) continue;
      const key = `${prefix}/${allocation}`;
      const holderKey = keys.start + path;
      const { succeeded } = await store.txn({
        compare: [
          { key: holderKey, target: "modRevision", is: "=", revision: holder.resourceVersion },
          { key, target: "createRevision", is: "=", revision: 0 },
        ],
        then: [{ kind: "put", key, value: allocationValue(holderKey) }],
      });
      if (succeeded) recorded.set(allocation, paths);
    }
    return recorded;
  }
}
