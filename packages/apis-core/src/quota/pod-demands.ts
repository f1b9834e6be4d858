// Requests and limits of a pod for which quotas count it. Source:
// staging/src/k8s.io/component-helpers/resource/helpers.go; KEP-753, "Sidecar Containers"; KEP-1287, "In-place Update of
// Pod Resources"; KEP-2837, "Pod Level Resource Specifications".

import { type FieldGate, objectsAt } from "@orch/apis-model";
import { existsIn, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { isPodLevelResource } from "../pods/pod-level-resources";
import { largest, NO_USAGE, only, sum, type Usage, usageOf } from "./usage";

export interface Demands {
  readonly requests: Usage;
  readonly limits: Usage;
}

/** Parts of the demands that depend on the release and its feature gates. */
export interface DemandRules {
  readonly overhead: boolean;
  /** Whether the overhead is added only to limits that the pod has and that are not 0. */
  readonly overheadOfLimits: boolean;
  /** Whether resources of the pod as a whole replace those of its containers. */
  readonly podResources: boolean;
  /** Whether resources that the node agent has allocated and applied count where they are larger. */
  readonly resized: boolean;
}

/** Releases that add the pod overhead. */
const OVERHEAD = { since: "1.21" };

/** Releases that add the pod overhead to no limit that is absent or 0. */
const OVERHEAD_OF_LIMITS = { since: "1.27" };

/** @param isOn returns whether a feature gate is enabled */
export const demandRules = (release: string, isOn: (gate: FieldGate) => boolean): DemandRules => ({
  overhead: existsIn(OVERHEAD, release),
  overheadOfLimits: existsIn(OVERHEAD_OF_LIMITS, release),
  podResources: isOn("PodLevelResources"),
  resized: isOn("InPlacePodVerticalScaling"),
});

const NO_DEMANDS: Demands = { requests: NO_USAGE, limits: NO_USAGE };

/** Returns the demands of a container. */
export function demandsOf({ resources }: JsonObject): Demands {
  if (!isObject(resources)) return NO_DEMANDS;
  return { requests: usageOf(resources["requests"]), limits: usageOf(resources["limits"]) };
}

type Combination = (one: Usage, other: Usage) => Usage;

const combined = (how: Combination, one: Demands, other: Demands): Demands => ({
  requests: how(one.requests, other.requests),
  limits: how(one.limits, other.limits),
});

/** Returns whether an init container runs as long as the pod. */
export const isSidecar = ({ restartPolicy }: JsonObject): boolean => restartPolicy === "Always";

/**
 * Returns the demands of a pod. Containers that run together are added. An init container counts together with the
 * sidecars that were started before it.
 */
export function podDemands({ spec, status }: JsonObject, rules: DemandRules): Demands {
  if (!isObject(spec)) return NO_DEMANDS;
  const applied = rules.resized && isObject(status) ? appliedResources(status) : undefined;
  const demands = (container: JsonObject): Demands => withApplied(demandsOf(container), container, applied);
  let running = NO_DEMANDS;
  for (const container of objectsAt(spec, "containers")) running = combined(sum, running, demands(container));
  let sidecars = NO_DEMANDS;
  let starting = NO_DEMANDS;
  for (const container of objectsAt(spec, "initContainers")) {
    if (isSidecar(container)) {
      const own = demands(container);
      running = combined(sum, running, own);
      sidecars = combined(sum, sidecars, own);
      starting = combined(largest, starting, sidecars);
    } else {
      starting = combined(largest, starting, combined(sum, demandsOf(container), sidecars));
    }
  }
  const all = combined(largest, running, starting);
  return withOverhead(rules.podResources ? withPodResources(all, spec) : all, spec, rules);
}

interface Applied {
  /** Whether the node can never run the requested resources. They do not count then. */
  readonly isInfeasible: boolean;
  /** Container statuses with resources, by the name of the container. */
  readonly statuses: ReadonlyMap<JsonValue | undefined, JsonObject>;
}

function appliedResources(status: JsonObject): Applied | undefined {
  const statuses = new Map<JsonValue | undefined, JsonObject>();
  for (const list of STATUS_LISTS) {
    for (const each of objectsAt(status, list)) if (isObject(each["resources"])) statuses.set(each["name"], each);
  }
  return statuses.size === 0 ? undefined : { isInfeasible: isInfeasible(status), statuses };
}

const STATUS_LISTS = ["containerStatuses", "initContainerStatuses"] as const;

const pendingResize = (status: JsonObject): JsonObject | undefined =>
  objectsAt(status, "conditions").find(({ type }) => type === "PodResizePending");

const isInfeasible = (status: JsonObject): boolean => pendingResize(status)?.["reason"] === "Infeasible";

function withApplied(wanted: Demands, { name }: JsonObject, applied: Applied | undefined): Demands {
  const status = applied?.statuses.get(name);
  if (applied === undefined || status === undefined) return wanted;
  const { requests, limits } = demandsOf(status);
  const held = { requests: largest(requests, usageOf(status["allocatedResources"])), limits };
  return applied.isInfeasible ? held : combined(largest, wanted, held);
}

/** Returns the demands, with those that the pod has as a whole in place of those of its containers. */
function withPodResources(all: Demands, spec: JsonObject): Demands {
  const { requests, limits } = demandsOf(spec);
  const replaced: Combination = (of, by) => (by.size === 0 ? of : new Map([...of, ...only(by, isPodLevelResource)]));
  return combined(replaced, all, { requests, limits });
}

/** Returns whether a pod has at least one amount of its own that replaces those of its containers. */
export function setsPodResources(spec: JsonObject): boolean {
  const { requests, limits } = demandsOf(spec);
  return [...requests.keys(), ...limits.keys()].some(isPodLevelResource);
}

function withOverhead(all: Demands, spec: JsonObject, rules: DemandRules): Demands {
  if (!rules.overhead || !isObject(spec["overhead"])) return all;
  const overhead = usageOf(spec["overhead"]);
  const isLimited = (name: string): boolean => (all.limits.get(name)?.nanos ?? 0n) !== 0n;
  const limits = rules.overheadOfLimits ? only(overhead, isLimited) : overhead;
  return combined(sum, all, { requests: overhead, limits });
}

/** Returns the parts of the status of a pod that its demands depend on. */
export function demandEssence(status: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const list of STATUS_LISTS) {
    const statuses = objectsAt(status, list).filter(({ resources }) => isObject(resources));
    if (statuses.length === 0) continue;
    kept[list] = statuses.map(({ name = "", resources = {}, allocatedResources }) => ({
      ...{ name, resources },
      ...(allocatedResources !== undefined && { allocatedResources }),
    }));
  }
  if (kept["containerStatuses"] === undefined && kept["initContainerStatuses"] === undefined) return kept;
  const pending = pendingResize(status);
  if (pending !== undefined) kept["conditions"] = [{ type: "PodResizePending", reason: pending["reason"] ?? "" }];
  return kept;
}
