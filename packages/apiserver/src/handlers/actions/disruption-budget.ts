// Reads and updates disruption budgets for evictions. Source: pkg/registry/core/pod/storage/eviction.go.
import {
  forbidden,
  labelSelectorOfObject,
  metaOf,
  type StatusError,
  timestamp,
  tooManyRequests,
} from "@orch/machinery";
import type { Entry } from "@orch/registry";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/** Maximum number of unconfirmed disruptions; more of them mean that no controller updates the budget. */
const UNCONFIRMED_MAX = 2000;
/** The version in which an empty selector matches no pod; in other versions it matches every pod. */
const EMPTY_CHOOSES_NOTHING = "v1beta1";

const SELECTOR = {};

/** @param version API version of the stored budget */
export function choosesPod(budget: Entry, version: string, labels: Readonly<Record<string, string>>): boolean {
  return budget.made(SELECTOR, () => selectorOf(budget.whole(), version))(labels);
}

function selectorOf(budget: JsonObject, version: string): (labels: Readonly<Record<string, string>>) => boolean {
  const { selector } = isObject(budget["spec"]) ? budget["spec"] : {};
  if (!isObject(selector)) return () => false;
  const { requirements, matches } = labelSelectorOfObject(selector);
  return requirements.length === 0 && version === EMPTY_CHOOSES_NOTHING ? () => false : matches;
}

/**
 * Whether an unready pod may be evicted without counting a disruption, because it is not one of the required healthy
 * pods.
 */
export function toleratesUnready(budget: JsonObject): boolean {
  const { unhealthyPodEvictionPolicy } = isObject(budget["spec"]) ? budget["spec"] : {};
  const { currentHealthy, desiredHealthy } = countsOf(budget);
  return unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0);
}

/** Counts one disruption. @returns the changed budget @throws StatusError TooManyRequests (429), Forbidden (403) */
export function takeDisruption(budget: JsonObject, podName: string, nowMs: number): JsonObject {
  const { name = "", generation = 0 } = metaOf(budget);
  const { disruptionsAllowed, desiredHealthy, currentHealthy, observedGeneration } = countsOf(budget);
  if (observedGeneration < generation) throw stillProcessed(budget);
  if (disruptionsAllowed < 0) throw forbidden(RESOURCE, name, "pdb disruptions allowed is negative");
  const status = statusOf(budget);
  const disruptedPods = isObject(status["disruptedPods"]) ? status["disruptedPods"] : {};
  if (Object.keys(disruptedPods).length > UNCONFIRMED_MAX) {
    throw forbidden(RESOURCE, name, "disruptedPods contains too many unconfirmed evictions");
  }
  if (disruptionsAllowed === 0) {
    throw blocked(exhaustedText(name, status, { desiredHealthy, currentHealthy }));
  }
  status["disruptionsAllowed"] = disruptionsAllowed - 1;
  status["disruptedPods"] = { ...disruptedPods, [podName]: timestamp(nowMs) };
  const { conditions } = status;
  if (disruptionsAllowed === 1 && Array.isArray(conditions)) {
    status["conditions"] = conditions.map((condition) => exhausted(condition, observedGeneration, nowMs));
  }
  budget["status"] = status;
  return budget;
}

/** Returns why no disruption is allowed. The counts are not current when the controller has failed. */
function exhaustedText(
  name: string,
  { conditions }: JsonObject,
  counts: { readonly desiredHealthy: number; readonly currentHealthy: number },
): string {
  const found = Array.isArray(conditions)
    ? conditions.filter(isObject).find(({ type, status }) => type === "DisruptionAllowed" && status === "False")
    : undefined;
  const { reason, message } = found ?? {};
  const blocks = `The disruption budget ${name} does not allow evicting pods currently`;
  if (reason === "SyncFailed" && message) return `${blocks} because it failed sync: ${String(message)}`;
  if (counts.currentHealthy > counts.desiredHealthy && message) {
    return `${blocks} (${String(reason)}): ${String(message)}`;
  }
  return `The disruption budget ${name} needs ${counts.desiredHealthy} healthy pods and has ${counts.currentHealthy} currently`;
}

/**
 * Sets the condition when the last disruption is used, so that clients waiting for it are not told that more are
 * allowed.
 */
function exhausted(condition: JsonValue, observedGeneration: number, nowMs: number): JsonValue {
  if (!isObject(condition) || condition["type"] !== "DisruptionAllowed" || condition["status"] === "False") {
    return condition;
  }
  const outcome = { status: "False", reason: "InsufficientPods", message: "" };
  return { ...condition, ...outcome, observedGeneration, lastTransitionTime: timestamp(nowMs) };
}

/** The status of the budget is out of date for its current spec, or for the current state of the pod. */
export const stillProcessed = (budget: JsonObject): StatusError =>
  blocked(`The disruption budget ${metaOf(budget).name ?? ""} is still being processed by the server.`);

const blocked = (message: string): StatusError =>
  tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
  });

/** Singular, as in the errors that clients know. */
const RESOURCE = { group: "policy", resource: "poddisruptionbudget" } as const;

function countsOf(budget: JsonObject) {
  const status = statusOf(budget);
  const count = (name: string): number => {
    const value = status[name];
    return typeof value === "number" ? value : 0;
  };
  return {
    disruptionsAllowed: count("disruptionsAllowed"),
    desiredHealthy: count("desiredHealthy"),
    currentHealthy: count("currentHealthy"),
    observedGeneration: count("observedGeneration"),
  };
}

const statusOf = ({ status }: JsonObject): JsonObject => (isObject(status) ? status : {});
