// The parts of a pod that a disruption budget depends on.
import { labelsOf, metaOf, type OwnerReference } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

type Condition = NonNullable<NonNullable<coreV1.Pod["status"]>["conditions"]>[number];

const saysReady = ({ type, status }: Condition): boolean => type === "Ready" && status === "True";

export const isReady = ({ status }: coreV1.Pod): boolean => status?.conditions?.some(saysReady) ?? false;

/** Returns the controller reference of an object. */
export const controllerOf = (object: object): OwnerReference | undefined =>
  metaOf(object as JsonObject).ownerReferences?.find(({ controller }) => controller === true);

/** Returns whether the change of a pod may change the status of a budget. */
export function countsOtherwise(before: coreV1.Pod, after: coreV1.Pod): boolean {
  const essence = (pod: coreV1.Pod) => {
    const { uid, deletionTimestamp } = metaOf(pod as JsonObject);
    return JSON.stringify([
      uid,
      isReady(pod),
      Boolean(deletionTimestamp),
      labelsOf(pod as JsonObject),
      controllerOf(pod),
    ]);
  };
  return essence(before) !== essence(after);
}
