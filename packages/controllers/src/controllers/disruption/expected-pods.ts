// Counts the pods that the workloads behind a budget want: each workload once, regardless of its number of pods.
// Source: pkg/controller/disruption/disruption.go.
import { nameOf, type OwnerReference } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import { UncountableError } from "./budget-status";
import { controllerOf } from "./counted-pod";

export interface Scale {
  /** UID of the scaled object, such as the Deployment of a ReplicaSet. */
  readonly uid: string;
  readonly replicas: number;
}

export interface Scales {
  /**
   * Returns the scale of a workload.
   * @returns undefined when the object no longer exists
   * @throws UncountableError for a kind without a scale, and the errors of requests
   */
  of(owner: OwnerReference, namespace: string): Promise<Scale | undefined>;
}

export interface ExpectedPods {
  readonly count: number;
  /** Names of pods without a controller. */
  readonly unmanaged: readonly string[];
}

/**
 * @param by.leavesOutUnmanaged whether unmanaged pods are skipped; otherwise they make the budget uncountable
 * @throws UncountableError, and the errors of requests
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
      throw new UncountableError(
        "NoControllers",
        `the controller of the pod ${name}, ${textOf(owner)}, does not exist`,
      );
    replicas.set(scale.uid, scale.replicas);
  }
  let count = 0;
  for (const each of replicas.values()) count += each;
  return { count, unmanaged };
}

const textOf = ({ kind = "", name = "" }: OwnerReference): string => `${kind} ${JSON.stringify(name)}`;
