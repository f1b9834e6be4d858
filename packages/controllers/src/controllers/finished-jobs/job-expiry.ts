// Expiry of finished jobs. Source: Kubernetes documentation, "Automatic Cleanup for Finished Jobs".
import { type batchV1, parseTime } from "@orch/schema";

const ENDS: readonly string[] = ["Complete", "Failed"];

type Condition = NonNullable<NonNullable<batchV1.Job["status"]>["conditions"]>[number];

const saysItEnded = ({ type, status }: Condition): boolean => ENDS.includes(type) && status === "True";

/**
 * Returns the expiry in milliseconds since 1970; undefined for a job without a TTL, one that is not finished, one that
 * is being deleted, and one without a finish time.
 */
export function expiryMsOf({ metadata, spec, status }: batchV1.Job): number | undefined {
  const { ttlSecondsAfterFinished } = spec ?? {};
  if (typeof ttlSecondsAfterFinished !== "number" || metadata?.deletionTimestamp) return undefined;
  const { lastTransitionTime } = status?.conditions?.find(saysItEnded) ?? {};
  const endedMs = typeof lastTransitionTime === "string" ? parseTime(lastTransitionTime) : undefined;
  return endedMs === undefined ? undefined : endedMs + ttlSecondsAfterFinished * 1_000;
}

/** Returns the parts of a job that the controller reads; the rest is many times as large. */
export function endingJob({ metadata = {}, spec, status }: batchV1.Job): batchV1.Job {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, deletionTimestamp } as batchV1.Job["metadata"];
  if (spec?.ttlSecondsAfterFinished === undefined) return { metadata: kept } as batchV1.Job;
  return {
    metadata: kept,
    spec: { ttlSecondsAfterFinished: spec.ttlSecondsAfterFinished },
    status: { conditions: (status?.conditions ?? []).filter(saysItEnded) },
  } as batchV1.Job;
}
