// Computes the status of a disruption budget: expected, healthy and desired pods, and allowed disruptions. Source:
// pkg/controller/disruption/disruption.go.
import { isBeingDeleted, nameOf } from "@orch/machinery";
import { type coreV1, type intstr, type JsonObject, parseTime, type policyV1, timeText } from "@orch/schema";
import { isReady } from "./counted-pod";

export type Budget = policyV1.PodDisruptionBudget;
export type BudgetStatus = policyV1.PodDisruptionBudgetStatus;

/** Time after which an allowed eviction counts as not carried out. */
const DELETION_MS = 120_000;

/** Reason why the status of a budget cannot be computed. */
export class UncountableError extends Error {
  /** @param reason reason of an event, in one word */
  constructor(
    readonly reason: "NoControllerRef" | "NoControllers" | "InvalidAmount",
    message: string,
  ) {
    super(message);
  }
}

/**
 * Returns whether a budget depends on the replicas that the pods' controllers want, rather than on the existing pods.
 */
export const asksForScale = ({ spec }: Budget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";

/**
 * Returns how many pods must be healthy.
 * @param expected number of expected pods
 * @throws UncountableError
 */
export function desiredHealthy({ spec }: Budget, expected: number): number {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) return Math.max(0, expected - amountOf(maxUnavailable, expected));
  return minAvailable === undefined ? 0 : amountOf(minAvailable, expected);
}

/** Resolves an amount; percentages are rounded up. */
function amountOf(amount: intstr.IntOrString, of: number): number {
  if (typeof amount === "number") return amount;
  const [, percent] = /^(\d+)%$/.exec(amount) ?? [];
  if (percent === undefined)
    throw new UncountableError("InvalidAmount", `${JSON.stringify(amount)} must be a number or a percentage`);
  return Math.ceil((Number(percent) * of) / 100);
}

export interface Evictions {
  /** Evictions that may still be carried out: time by pod name. */
  readonly pending: Readonly<Record<string, string>>;
  /** Pods that should have been deleted by now. */
  readonly overdue: readonly coreV1.Pod[];
  /** When the next pending eviction becomes overdue, in milliseconds since 1970. */
  readonly overdueAtMs: number | undefined;
}

/**
 * Classifies the evictions that the server has allowed.
 * @param pods the pods of the budget
 */
export function evictionsOf({ status }: Budget, pods: readonly coreV1.Pod[], nowMs: number): Evictions {
  const allowed = Object.entries(status?.disruptedPods ?? {});
  if (allowed.length === 0) return { pending: {}, overdue: [], overdueAtMs: undefined };
  const byName = new Map(pods.map((pod) => [nameOf(pod as JsonObject), pod]));
  const pending: Record<string, string> = {};
  const overdue: coreV1.Pod[] = [];
  let overdueAtMs: number | undefined;
  for (const [name, time] of allowed) {
    const pod = byName.get(name);
    if (pod === undefined || isBeingDeleted(pod as JsonObject)) continue;
    const untilMs = (parseTime(String(time)) ?? 0) + DELETION_MS;
    if (untilMs <= nowMs) {
      overdue.push(pod);
      continue;
    }
    pending[name] = String(time);
    overdueAtMs = Math.min(untilMs, overdueAtMs ?? untilMs);
  }
  return { pending, overdue, overdueAtMs };
}

export interface Counted {
  readonly pods: readonly coreV1.Pod[];
  readonly expected: number;
  readonly pending: Evictions["pending"];
}

/**
 * @param by.hasConditions whether the API version has conditions
 * @throws UncountableError
 */
export function countedStatus(
  budget: Budget,
  { pods, expected, pending }: Counted,
  by: { readonly hasConditions: boolean; readonly nowMs: number },
): BudgetStatus {
  const desired = desiredHealthy(budget, expected);
  const currentHealthy = pods.filter((pod) => isHealthy(pod, pending)).length;
  // Without pods no disruption is allowed: the first ones may appear before the next update of the status.
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desired);
  const { generation } = budget.metadata ?? {};
  const status: BudgetStatus = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(Object.keys(pending).length === 0 ? {} : { disruptedPods: { ...pending } }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy: desired,
    expectedPods: expected,
  };
  if (!by.hasConditions) return status;
  const outcome = disruptionsAllowed > 0 ? ALLOWED : INSUFFICIENT;
  return { ...status, conditions: conditionsWith(budget, { ...outcome, message: "", generation }, by.nowMs) };
}

function isHealthy(pod: coreV1.Pod, pending: Evictions["pending"]): boolean {
  return isReady(pod) && !isBeingDeleted(pod as JsonObject) && !Object.hasOwn(pending, nameOf(pod as JsonObject));
}

/**
 * Returns the status for a budget that cannot be computed: no disruption is allowed, and the other fields keep their
 * last values.
 */
export function safeStatus(
  budget: Budget,
  why: string,
  by: { readonly hasConditions: boolean; readonly nowMs: number },
): BudgetStatus {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, ...rest } = budget.status ?? {};
  const status: BudgetStatus = { ...rest, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0 };
  if (!by.hasConditions) return status;
  const generation = budget.status?.observedGeneration;
  return { ...status, conditions: conditionsWith(budget, { ...FAILED, message: why, generation }, by.nowMs) };
}

type Condition = NonNullable<BudgetStatus["conditions"]>[number];
type Outcome = Pick<Condition, "status" | "reason">;

const TYPE = "DisruptionAllowed";
const ALLOWED: Outcome = { status: "True", reason: "SufficientPods" };
const INSUFFICIENT: Outcome = { status: "False", reason: "InsufficientPods" };
const FAILED: Outcome = { status: "False", reason: "SyncFailed" };

/** Sets the condition and keeps all others. Its transition time changes only with its status. */
function conditionsWith(
  { status: said }: Budget,
  next: Outcome & { readonly message: string; readonly generation: number | undefined },
  nowMs: number,
): Condition[] {
  const conditions = said?.conditions ?? [];
  const at = conditions.findIndex(({ type }) => type === TYPE);
  const before = conditions[at];
  const { status, reason, message, generation } = next;
  const condition: Condition = {
    type: TYPE,
    status,
    ...(generation === undefined || generation === 0 ? {} : { observedGeneration: generation }),
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : timeText(nowMs),
    reason,
    message,
  };
  return before === undefined ? [...conditions, condition] : conditions.with(at, condition);
}
