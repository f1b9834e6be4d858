// How many pods those who make them want: of each once, however many of its pods there are. Source: facts, controllers.md
// "disruption and eviction".
import { nameOf, type OwnerReference } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import { UncountableError } from "./budget-status";
import { controllerOf } from "./counted-pod";

export interface Scale {
  /** Of the object that is scaled, such as the deployment behind a replica set. */
  readonly uid: string;
  readonly replicas: number;
}

export interface Scales {
  /**
   * @returns undefined where there is no such object any more
   * @throws UncountableError for a kind that has no scale, and what requests throw
   */
  of(owner: OwnerReference, namespace: string): Promise<Scale | undefined>;
}

export interface ExpectedPods {
  readonly count: number;
  /** Names of pods that nobody keeps up. */
  readonly unmanaged: readonly string[];
}

/**
 * @param by.leavesOutUnmanaged otherwise they make it impossible to say
 * @throws UncountableError, and what requests throw
 */
export async function expectedPods(
  pods: readonly coreV1.Pod[],
  scales: Scales,
  by: { readonly leavesOutUnmanaged: boolean },
): Promise<ExpectedPods> {
  const known = new Set<string>();
  const replicas = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const name = nameOf(pod as JsonObject);
    const owner = controllerOf(pod);
    if (owner === undefined) {
      if (!by.leavesOutUnmanaged) throw new UncountableError("NoControllerRef", `the pod ${name} has no controller`);
      unmanaged.push(name);
      continue;
    }
    const { uid = "" } = owner;
    if (known.has(uid)) continue;
    known.add(uid);
    const scale = await scales.of(owner, pod.metadata?.namespace ?? "");
    if (scale === undefined)
      throw new UncountableError("NoControllers", `the controller of the pod ${name}, ${textOf(owner)}, is not there`);
    replicas.set(scale.uid, scale.replicas);
  }
  let count = 0;
  for (const each of replicas.values()) count += each;
  return { count, unmanaged };
}

const textOf = ({ kind = "", name = "" }: OwnerReference): string => `${kind} ${JSON.stringify(name)}`;
