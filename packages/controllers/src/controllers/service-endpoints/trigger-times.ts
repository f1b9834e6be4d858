// Time since when endpoints are out of date. Monitoring uses it to measure the delay of endpoint updates.
// Source: pkg/controller/util/endpoint/trigger_time_tracker.go.
import type { coreV1 } from "@orch/schema";

interface Seen {
  readonly service: string;
  /** Times by pod name. */
  readonly pods: ReadonlyMap<string, string>;
}

/**
 * The times of each service's last reconciliation. Times are texts in one format, so that their order is chronological.
 */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>();

  /**
   * Compares with the last reconciliation. Must be called exactly once per reconciliation of a service.
   * @returns the earliest time that changed since the last call: the service's creation, or a change of a pod's
   *   readiness; undefined when none changed
   */
  look(key: string, service: coreV1.Service, pods: readonly coreV1.Pod[]): string | undefined {
    const before = this.seen.get(key);
    const made = service.metadata?.creationTimestamp ?? "";
    const times = new Map<string, string>();
    const changed: string[] = [];
    for (const pod of pods) {
      const time = pod.status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
      if (!time) continue;
      const name = pod.metadata?.name ?? "";
      times.set(name, time);
      if (time > (before?.pods.get(name) ?? "")) changed.push(time);
    }
    this.seen.set(key, { service: made, pods: times });
    if (before === undefined) return made || undefined;
    if (made > before.service) changed.push(made);
    const [earliest] = changed.sort();
    return earliest;
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}
