// Which pods nobody will ever see to again: pods that have ended, beyond those that are kept; that are deleted and never had a node; whose
// node is gone. Source: facts, controllers.md "Other controllers"; the field's own description of its pod garbage collector.
import { metaOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

/** Pods that have not ended. Source: facts, the phases of a pod. */
const ALIVE: readonly string[] = ["Pending", "Running", "Unknown", ""];

export const hasEnded = ({ status }: coreV1.Pod): boolean => !ALIVE.includes(status?.phase ?? "");

/** Of pods that have ended, those beyond the threshold: the oldest first. @param keep how many may stay; 0 or less: all */
export function endedBeyond(pods: Iterable<coreV1.Pod>, keep: number): readonly coreV1.Pod[] {
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

/** Deleted before they had a node: there is no agent that would say that they have ended. */
export const neverPlaced = (pods: Iterable<coreV1.Pod>): readonly coreV1.Pod[] =>
  [...pods].filter(({ metadata, spec }) => Boolean(metadata?.deletionTimestamp) && !spec?.nodeName);

/** Deleted for good already: what holds it has a say yet, and nobody else. */
export const isOnlyHeld = ({ metadata }: coreV1.Pod): boolean =>
  Boolean(metadata?.deletionTimestamp) && metadata?.deletionGracePeriodSeconds === 0;

/** Nodes that pods are on and that are not there: for how long that has been so. */
export class MissingNodes {
  private readonly since = new Map<string, number>();

  /**
   * @param elapsedMs now
   * @returns those that have been missing for the whole time of grace
   */
  look(pods: Iterable<coreV1.Pod>, present: ReadonlySet<string>, elapsedMs: number): readonly string[] {
    const missing = new Set<string>();
    for (const { spec } of pods) if (spec?.nodeName && !present.has(spec.nodeName)) missing.add(spec.nodeName);
    for (const name of this.since.keys()) if (!missing.has(name)) this.since.delete(name);
    for (const name of missing) if (!this.since.has(name)) this.since.set(name, elapsedMs);
    return [...this.since].filter(([, since]) => elapsedMs - since >= GRACE_MS).map(([name]) => name);
  }

  /** It is there after all. */
  forget(name: string): void {
    this.since.delete(name);
  }
}

const GRACE_MS = 40_000;
