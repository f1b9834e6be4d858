// What objects claim for themselves alone, as the verbs see it. Source: machinery, claims.ts.
import { type Claim, type ClaimWorld, invalid, nameOf } from "@orch/machinery";
import { type JsonObject, readJson } from "@orch/schema";
import type { StoredEntry } from "../objects/stored-entry";
import type { ResourceContext } from "../resource-context";

/** What a write does to the claims of its object. */
export interface ClaimChange {
  readonly take: readonly Claim[];
  /** Keys under the root, claims or not. */
  readonly release: readonly string[];
}

const NOTHING: ClaimChange = { take: [], release: [] };

/**
 * Gives an object what it is still to hold.
 * @param next in the storage version; changed in place
 * @throws StatusError Invalid (422) for what is taken or out of range; InternalError (500) when nothing is left
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

/** @param stored what the object will be; undefined: nothing */
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

/** What a claim's key says: whose it is, for people who look into the store. */
export const claimValue = (holderKey: string): Buffer => Buffer.from(JSON.stringify({ heldBy: holderKey }));
