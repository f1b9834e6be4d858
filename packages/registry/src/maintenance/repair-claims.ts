// Repairs the records of exclusive claims, such as cluster IPs. Claims and objects are written together, so they
// normally agree; a change made directly in the store may break that. Source:
// pkg/registry/core/service/ipallocator/controller/repair.go.
import type { Claim } from "@orch/machinery";
import type { ResourceContext } from "../context/resource-context";
import type { ClaimRepairs, HeldClaims } from "../contract/registry";
import { claimValue } from "../write/claims";

const NONE: HeldClaims = new Map();

/** Number of passes in which a claim without an object is left alone. No write in progress lasts that long. */
const PASSES_BEFORE_RELEASE = 3;
/** Number of objects read between two pauses. */
const SLICE_OBJECTS = 100;

export class ClaimRepairer {
  /** Claims without an object, with their revision and the number of passes that met them. */
  private unheld = new Map<Claim, { readonly revision: number; readonly passes: number }>();

  constructor(private readonly context: ResourceContext) {}

  /** @throws StoreError when the store cannot be reached */
  async pass(): Promise<ClaimRepairs> {
    const { claims } = this.context.definition;
    if (claims === undefined) return { released: [], recorded: NONE, shared: NONE, withdrawn: NONE };
    // Both belong to one moment: a tree is immutable, and the claims are copied.
    const recorded = new Map(claims.places.flatMap((place) => this.recorded(place)));
    const holders = await this.holders();
    return {
      released: await this.release([...recorded].filter(([claim]) => !holders.has(claim))),
      recorded: await this.record([...holders].filter(([claim]) => !recorded.has(claim))),
      shared: new Map([...holders].filter(([, paths]) => paths.length > 1)),
      withdrawn: new Map([...holders].filter(([claim]) => claims.isOffered?.(claim) === false)),
    };
  }

  private recorded(place: string): [Claim, number][] {
    return this.context.watchCache.rawItems(place).map(({ path, modRevision }) => [`${place}/${path}`, modRevision]);
  }

  private async holders(): Promise<ReadonlyMap<Claim, string[]>> {
    const { cache, definition } = this.context;
    const holders = new Map<Claim, string[]>();
    const entries = cache.tree.slice();
    for (let at = 0; at < entries.length; at += SLICE_OBJECTS) {
      for (const entry of entries.slice(at, at + SLICE_OBJECTS)) {
        for (const claim of definition.claims?.held(entry.object()) ?? []) {
          holders.set(claim, [...(holders.get(claim) ?? []), entry.path]);
        }
      }
      await new Promise(setImmediate);
    }
    return holders;
  }

  private async release(unheld: readonly (readonly [Claim, number])[]): Promise<readonly Claim[]> {
    const { prefix, store } = this.context;
    const met = new Map<Claim, { readonly revision: number; readonly passes: number }>();
    const released: Claim[] = [];
    for (const [claim, revision] of unheld) {
      const before = this.unheld.get(claim);
      const passes = before?.revision === revision ? before.passes + 1 : 1;
      if (passes < PASSES_BEFORE_RELEASE) {
        met.set(claim, { revision, passes });
        continue;
      }
      const key = `${prefix}/${claim}`;
      const { succeeded } = await store.txn({
        compare: [{ key, target: "modRevision", is: "=", revision }],
        then: [{ kind: "delete", start: key }],
      });
      if (succeeded) released.push(claim);
    }
    this.unheld = met;
    return released;
  }

  private async record(missing: readonly (readonly [Claim, readonly string[]])[]): Promise<HeldClaims> {
    const { prefix, store, keys, cache } = this.context;
    const recorded = new Map<Claim, readonly string[]>();
    for (const [claim, paths] of missing) {
      const [path = ""] = paths;
      const holder = cache.peek(path);
      if (holder === undefined) continue;
      const key = `${prefix}/${claim}`;
      const holderKey = keys.start + path;
      const { succeeded } = await store.txn({
        compare: [
          { key: holderKey, target: "modRevision", is: "=", revision: holder.resourceVersion },
          { key, target: "createRevision", is: "=", revision: 0 },
        ],
        then: [{ kind: "put", key, value: claimValue(holderKey) }],
      });
      if (succeeded) recorded.set(claim, paths);
    }
    return recorded;
  }
}
