// When a job that has ended is to go. Source: facts, controllers.md "ttl-after-finished".
import { type batchV1, parseTime } from "@orch/schema";

const ENDS: readonly string[] = ["Complete", "Failed"];

type Condition = NonNullable<NonNullable<batchV1.Job["status"]>["conditions"]>[number];

const saysItEnded = ({ type, status }: Condition): boolean => ENDS.includes(type) && status === "True";

/** In milliseconds since 1970; undefined for one that is to stay, has not ended, goes already, or does not say when it ended. */
export function expiryMsOf({ metadata, spec, status }: batchV1.Job): number | undefined {
  const { ttlSecondsAfterFinished } = spec ?? {};
  if (typeof ttlSecondsAfterFinished !== "number" || metadata?.deletionTimestamp) return undefined;
  const { lastTransitionTime } = status?.conditions?.find(saysItEnded) ?? {};
  const endedMs = typeof lastTransitionTime === "string" ? parseTime(lastTransitionTime) : undefined;
  return endedMs === undefined ? undefined : endedMs + ttlSecondsAfterFinished * 1_000;
}

/** What is looked at of a job; the rest of it is many times as large. */
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
