// Reads and builds Lease objects, without side effects. Source:
// staging/src/k8s.io/client-go/tools/leaderelection/leaderelection.go.
import { type coordinationV1, microTimeText } from "@orch/schema";

export type Lease = coordinationV1.Lease;

/** A Lease and the time when it was first seen in this state, in monotonic milliseconds. */
export interface ObservedLease {
  readonly lease: Lease;
  readonly at: number;
}

export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? "";

/**
 * Reports whether a process may acquire the Lease: it is free, its own, or unchanged for its whole duration. The times
 * written in it are ignored, because clocks differ.
 * @param seen undefined: there is no Lease
 */
export function mayBeHeld(
  seen: ObservedLease | undefined,
  by: { readonly identity: string; readonly nowMs: number; readonly leaseDurationMs: number },
): boolean {
  const holder = holderOf(seen?.lease);
  if (seen === undefined || holder === "" || holder === by.identity) return true;
  const durationMs = (seen.lease.spec?.leaseDurationSeconds ?? 0) * 1000 || by.leaseDurationMs;
  return by.nowMs - seen.at > durationMs;
}

/** Returns the Lease as its holder writes it. @param epochMs wall clock for the times in the Lease */
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

/**
 * Returns the released Lease, without a holder and with a duration of one second for clients that do not check the
 * holder.
 */
export function releasedLease(held: Lease, epochMs: number): Lease {
  const now = microTimeText(epochMs);
  return {
    ...held,
    spec: { ...held.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now },
  };
}
