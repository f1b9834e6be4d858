// Resources of a pod as a whole: defaults and totals of its containers. Source: KEP-2837, "Pod Level Resource
// Specifications"; staging/src/k8s.io/component-helpers/resource/helpers.go.

import { isHugePages, objectAt, quantityOf } from "@orch/apis-model";
import {
  addQuantities,
  compareQuantities,
  type coreV1,
  isObject,
  type JsonObject,
  type Quantity,
  quantityText,
} from "@orch/schema";

export const isPodLevelResource = (name: string): boolean => name === "cpu" || name === "memory" || isHugePages(name);

type Totals = Map<string, Quantity>;

/**
 * Sums one list of all containers. Containers that run together are added; an init container counts together with
 * those that were started before it and run as long as the pod.
 */
export function totalOf(spec: coreV1.PodSpec, list: "requests" | "limits"): ReadonlyMap<string, Quantity> {
  const running: Totals = new Map();
  for (const { resources } of spec.containers ?? []) add(running, resources?.[list]);
  const lasting: Totals = new Map();
  const starting: Totals = new Map();
  for (const { restartPolicy, resources } of spec.initContainers ?? []) {
    const amounts = resources?.[list];
    if (restartPolicy === "Always") {
      add(running, amounts);
      add(lasting, amounts);
      raise(starting, lasting);
    } else {
      const together: Totals = new Map(lasting);
      add(together, amounts);
      raise(starting, together);
    }
  }
  raise(running, starting);
  return running;
}

function add(totals: Totals, amounts: { readonly [name: string]: string } | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    const before = totals.get(name);
    const quantity = quantityOf(amount);
    totals.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
}

function raise(totals: Totals, others: Totals): void {
  for (const [name, quantity] of others) {
    const before = totals.get(name);
    if (before === undefined || compareQuantities(before, quantity) < 0) totals.set(name, quantity);
  }
}

/**
 * Completes the resources of a pod that has some: huge page limits from the containers, requests from the containers
 * and then from the limits.
 */
export function fillPodResources(pod: JsonObject): void {
  const spec = objectAt(pod, "spec");
  const { resources } = spec;
  if (!isObject(resources)) return;
  const typed = spec as unknown as coreV1.PodSpec;
  if (sizeOf(resources, "limits") > 0 || sizeOf(resources, "requests") > 0) {
    fill(
      resources,
      "limits",
      totalOf(typed, "limits"),
      (name) => isHugePages(name) && !has(resources, "requests", name),
    );
  }
  if (sizeOf(resources, "limits") === 0) return;
  fill(resources, "requests", totalOf(typed, "requests"), (name) => name === "cpu" || name === "memory");
  const requests = objectAt(resources, "requests");
  for (const [name, limit] of Object.entries(objectAt(resources, "limits"))) {
    if (limit !== undefined && isPodLevelResource(name) && requests[name] === undefined) requests[name] = limit;
  }
}

function fill(
  resources: JsonObject,
  list: "limits" | "requests",
  totals: ReadonlyMap<string, Quantity>,
  applies: (name: string) => boolean,
): void {
  for (const [name, total] of totals) {
    if (!applies(name) || has(resources, list, name)) continue;
    objectAt(resources, list)[name] = quantityText(total);
  }
}

const has = (resources: JsonObject, list: string, name: string): boolean => {
  const amounts = resources[list];
  return isObject(amounts) && amounts[name] !== undefined;
};

const sizeOf = (resources: JsonObject, list: string): number => {
  const amounts = resources[list];
  return isObject(amounts) ? Object.keys(amounts).length : 0;
};

/** Returns whether a pod has resources of its own, with at least one amount. */
export const hasPodResources = ({ resources }: coreV1.PodSpec): boolean =>
  resources !== undefined &&
  Object.keys(resources.requests ?? {}).length + Object.keys(resources.limits ?? {}).length > 0;
