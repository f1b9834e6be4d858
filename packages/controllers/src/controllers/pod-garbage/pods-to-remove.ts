// Selects the pods to garbage-collect: terminated pods beyond the threshold, deleted pods that were never scheduled,
// and pods whose node is gone. Source: Kubernetes documentation, "Pod Lifecycle", "Garbage collection of Pods".
import { metaOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

/** Phases of pods that have not terminated. Source: Kubernetes documentation, "Pod Lifecycle", "Pod phase". */
const ALIVE: readonly string[] = ["Pending", "Running", "Unknown", ""];

export const hasEnded = ({ status }: coreV1.Pod): boolean => !ALIVE.includes(status?.phase ?? "");

/**
 * Returns the oldest terminated pods beyond the threshold.
 * @param keep number of terminated pods to keep; 0 or less: all
 */
export function terminatedBeyond(pods: Iterable<coreV1.Pod>, keep: number): readonly coreV1.Pod[] {
  if (keep <= 0) return [];
  const ended = [...pods].filter(hasEnded);
  if (ended.length <= keep) return [];
  return ended.sort(byAge).slice(0, ended.length - keep);
}

function byAge(one: coreV1.Pod, other: coreV1.Pod): number {
  const [a, b] = [metaOf(one as JsonObject), metaOf(other as JsonObject)];
  const [aMade, bMade] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  if (aMade !== bMade) return aMade < bMade ? -1 : 1;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}

/** Returns pods that were deleted before they were scheduled: no kubelet will report their termination. */
export const neverScheduled = (pods: Iterable<coreV1.Pod>): readonly coreV1.Pod[] =>
  [...pods].filter(({ metadata, spec }) => Boolean(metadata?.deletionTimestamp) && !spec?.nodeName);

/** Returns whether the pod is deleted with a grace period of 0, so that only its finalizers keep it. */
export const hasOnlyFinalizers = ({ metadata }: coreV1.Pod): boolean =>
  Boolean(metadata?.deletionTimestamp) && metadata?.deletionGracePeriodSeconds === 0;

/** Nodes that pods are assigned to and that do not exist, with the time since when. */
export class MissingNodes {
  private readonly since = new Map<string, number>();

  /**
   * Updates the record.
   * @param elapsedMs current elapsed time
   * @returns the nodes that have been missing for the whole grace period
   */
  look(pods: Iterable<coreV1.Pod>, present: ReadonlySet<string>, elapsedMs: number): readonly string[] {
    const missing = new Set<string>();
    for (const { spec } of pods) if (spec?.nodeName && !present.has(spec.nodeName)) missing.add(spec.nodeName);
    for (const name of this.since.keys()) if (!missing.has(name)) this.since.delete(name);
    for (const name of missing) if (!this.since.has(name)) this.since.set(name, elapsedMs);
    return [...this.since].filter(([, since]) => elapsedMs - since >= GRACE_MS).map(([name]) => name);
  }

  /** Removes a node that exists after all. */
  forget(name: string): void {
    this.since.delete(name);
  }
}

const GRACE_MS = 40_000;
