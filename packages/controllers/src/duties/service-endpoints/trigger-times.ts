// Since when endpoints have been out of date: from this programs measure how long a change takes to reach them.
// Source: facts, controllers.md "endpoint, endpointslice".
import type { coreV1 } from "@orch/schema";

interface Seen {
  readonly service: string;
  /** By the pod's name. */
  readonly pods: ReadonlyMap<string, string>;
}

/** Times are as objects have them: in one form, so that texts compare as times do. */
export class TriggerTimes {
  private readonly seen = new Map<string, Seen>();

  /**
   * To be asked at every look at a service, and only once.
   * @returns the earliest of what has changed since the last look: when the service was made, or when a pod became ready or ceased to
   *   be; undefined where no such time has changed
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
