// What a Lease says of who leads, and what it must say next. Pure. Source: facts, client.md "Leader election over Lease".
import { type coordinationV1, microTimeText } from "@orch/schema";

export type Lease = coordinationV1.Lease;

/** A lease, and when it was first seen in this state: milliseconds that never run backwards. */
export interface SeenLease {
  readonly lease: Lease;
  readonly at: number;
}

export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? "";

/**
 * Free, one's own, or unchanged for as long as it lasts. The times that are written in it do not count: clocks differ.
 * @param seen undefined: there is none
 */
export function mayBeHeld(
  seen: SeenLease | undefined,
  by: { readonly identity: string; readonly nowMs: number; readonly leaseDurationMs: number },
): boolean {
  const holder = holderOf(seen?.lease);
  if (seen === undefined || holder === "" || holder === by.identity) return true;
  const durationMs = (seen.lease.spec?.leaseDurationSeconds ?? 0) * 1000 || by.leaseDurationMs;
  return by.nowMs - seen.at > durationMs;
}

/** The lease as its holder writes it. @param epochMs for the times that people read */
export function heldLease(
  before: Lease | undefined,
  by: {
    readonly name: string;
    readonly identity: string;
    readonly leaseDurationMs: number;
    readonly epochMs: number;
  },
): Lease {
  const now = microTimeText(by.epochMs);
  const isRenewal = holderOf(before) === by.identity;
  const transitions = before?.spec?.leaseTransitions ?? 0;
  return {
    ...before,
    metadata: before?.metadata ?? { name: by.name },
    spec: {
      ...before?.spec,
      holderIdentity: by.identity,
      leaseDurationSeconds: Math.max(Math.ceil(by.leaseDurationMs / 1000), 1),
      acquireTime: isRenewal ? (before?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: before === undefined || isRenewal ? transitions : transitions + 1,
    },
  };
}

/** The lease given back: nobody holds it, and even those who do not look at the holder wait no more than a second. */
export function releasedLease(held: Lease, epochMs: number): Lease {
  const now = microTimeText(epochMs);
  return {
    ...held,
    spec: { ...held.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now },
  };
}
