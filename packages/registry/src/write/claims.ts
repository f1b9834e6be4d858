// Exclusive claims of objects, such as cluster IPs and node ports, in the write verbs. See claims.ts of the machinery
// package.
import { type Claim, type ClaimWorld, invalid, nameOf } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { StoredEntry } from "../objects/stored-entry";

/** Changes of an object's claims in one write. */
export interface ClaimChange {
  readonly take: readonly Claim[];
  /** Keys below the root. Not all of them are claims. */
  readonly release: readonly string[];
}

const NOTHING: ClaimChange = { take: [], release: [] };

/**
 * Allocates the claims that an object needs.
 * @param next in the storage version; changed in place
 * @throws StatusError Invalid (422) for a claim that is taken or out of range; InternalError (500) when none is left
 */
export function allocateClaims(
  context: ResourceContext,
  { next, old }: { readonly next: JsonObject; readonly old: JsonObject | undefined },
  dryRun: boolean,
): void {
  const { claims } = context.definition;
  if (claims === undefined) return;
  const own = new Set(old === undefined ? [] : claims.held(old));
  const world: ClaimWorld = {
    taken: (claim) => !own.has(claim) && context.claimsSeen.has(claim),
    count: (place) => context.watchCache.rawCount(place),
    random: () => fraction(context.randomness(4)),
    dryRun,
  };
  const errors = claims.allocate(next, old, world);
  if (errors.length > 0) throw invalid(context.kind, nameOf(next), errors);
}

function fraction(bytes: Uint8Array): number {
  return Buffer.from(bytes).readUInt32BE(0) / 2 ** 32;
}

/** Computes the claims that a write takes and releases. @param stored the new object; undefined for a deletion */
export function claimChange(
  { definition }: ResourceContext,
  current: StoredEntry | undefined,
  stored: Buffer | undefined,
): ClaimChange {
  const { claims } = definition;
  if (claims === undefined) return NOTHING;
  const old = current?.object();
  const before = new Set(old === undefined ? [] : claims.held(old));
  const after = new Set(stored === undefined ? [] : claims.held(readJson(stored.toString()) as JsonObject));
  const release: string[] = [...before].filter((claim) => !after.has(claim));
  if (stored === undefined && old !== undefined) release.push(...(claims.removedAlong?.(old) ?? []));
  return { take: [...after].filter((claim) => !before.has(claim)), release };
}

/** Returns the value stored at a claim's key: the holder, for people who inspect the store. */
export const claimValue = (holderKey: string): Buffer => Buffer.from(JSON.stringify({ heldBy: holderKey }));
