// Leases of replicas and of leaders. Source: Kubernetes documentation, "Leases".
import type { ApiObject } from "../values/api-object";

export interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly renewTime?: string;
  };
}

/** @param now milliseconds since 1970 */
export function leaseState({ spec }: Lease, now: number): "held" | "expired" | "released" {
  if (!spec?.holderIdentity) return "released";
  const end = Date.parse(spec.renewTime ?? "") + (spec.leaseDurationSeconds ?? 0) * 1000;
  return end >= now ? "held" : "expired";
}

/** Returns the name of the machine of a replica; "" when it is not known. */
export const hostOf = ({ metadata }: Lease): string =>
  Object.entries(metadata.labels ?? {}).find(([name]) => name.endsWith("/hostname"))?.[1] ?? "";
