// Deletes a pod when its disruption budget allows it. Source: pkg/registry/core/pod/storage/eviction.go.
import {
  type DeleteOptions,
  isBeingDeleted,
  isReason,
  labelsOf,
  MOST_RECENT,
  metaOf,
  parseDeleteOptions,
  requirePreconditions,
  timeout,
  timestamp,
  unclassified,
} from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { ActionHandler, RequestedAction } from "@orch/request";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { choosesPod, stillProcessed, takeDisruption, toleratesUnready } from "./disruption-budget";
import { setCondition } from "./pod-condition";

export interface EvictionDeps {
  /** Undefined in releases without disruption budgets. */
  readonly budgets: ResourceStorage | undefined;
  readonly vocabulary: Vocabulary;
  /** Whether an evicted pod gets the condition DisruptionTarget. */
  readonly marksEvicted: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  pause(ms: number): Promise<void>;
}

const TRIES_MAX = 20;
const PAUSE_MS = 500;

const NO_QUERY = new URLSearchParams();

export function eviction(deps: EvictionDeps): ActionHandler {
  return async (asked) => {
    const options = parseDeleteOptions(
      asked.body["deleteOptions"] as JsonObject | undefined,
      NO_QUERY,
      deps.vocabulary,
    );
    const dryRun = asked.write.dryRun || options.dryRun;
    const evicted: Evicted = { ...asked, write: { ...asked.write, dryRun }, options, deps };
    for (let tries = 1; ; tries += 1) {
      const pod = (await asked.storage.get(asked.key, MOST_RECENT)).object();
      if (!isBeyondBudgets(pod)) {
        await evictWithin(deps, evicted, pod);
        return undefined;
      }
      try {
        await deletePod(evicted, isStarting(pod) ? metaOf(pod).resourceVersion : undefined);
        return undefined;
      } catch (error) {
        if (!mayPass(error, options, pod) || tries === TRIES_MAX || isAbandoned(asked)) throw error;
      }
      await deps.pause(PAUSE_MS);
    }
  };
}

/** Whether the client no longer waits for the result. */
const isAbandoned = ({ write }: Pick<RequestedAction, "write">): boolean => write.signal?.aborted === true;

type Evicted = RequestedAction & { readonly options: DeleteOptions; readonly deps: EvictionDeps };

/** Evicts a pod that counts for its budget, if it has one. */
async function evictWithin(deps: EvictionDeps, evicted: Evicted, pod: JsonObject): Promise<void> {
  const budget = await budgetOf(deps, pod);
  if (budget === undefined) return deletePod(evicted);
  if (!isReady(pod) && toleratesUnready(budget.whole())) {
    try {
      // The resource version makes the deletion fail when the pod has become ready meanwhile, because it then counts
      // again.
      return await deletePod(evicted, metaOf(pod).resourceVersion);
    } catch (error) {
      throw mayPass(error, evicted.options, pod) ? stillProcessed(budget.whole()) : error;
    }
  }
  // A request that its own preconditions rule out is refused before a disruption is counted.
  if (isRuledOut(evicted.options, pod)) await deletePod({ ...evicted, write: { ...evicted.write, dryRun: true } });
  await countDisruption(deps, evicted, budget);
  return deletePod(evicted);
}

/** @throws StatusError when several budgets match the pod, because it is undefined which of them counts */
async function budgetOf({ budgets }: EvictionDeps, pod: JsonObject): Promise<Entry | undefined> {
  const labels = labelsOf(pod);
  if (budgets === undefined || Object.keys(labels).length === 0) return undefined;
  const { namespace = "" } = metaOf(pod);
  const { entries } = await budgets.list({ namespace, read: MOST_RECENT, selection: {}, limit: 0 });
  const { version } = budgets.definition.storage;
  const [budget, another] = entries.filter((entry) => choosesPod(entry, version, labels));
  if (another === undefined) return budget;
  throw unclassified(
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
  );
}

/** Counts a disruption. Retries on conflicts: concurrent evictions on all replicas stay within the budget. */
async function countDisruption(deps: EvictionDeps, { key, write }: Evicted, { namespace, name }: Entry): Promise<void> {
  const { budgets, now } = deps;
  const status = budgets?.definition.subresources["status"];
  if (budgets === undefined || status === undefined) throw new Error("the PodDisruptionBudget has no status");
  const take = (budget: JsonObject) => takeDisruption(budget, key.name, now());
  const version = budgets.definition.storage;
  const context = { ...write, version, subresource: { name: "status", rules: status } };
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    try {
      await budgets.changeInPlace(take, { namespace, name }, context);
      return;
    } catch (error) {
      if (!isConflict(error) || isAbandoned({ write })) throw error;
    }
    await deps.pause(PAUSE_MS);
  }
  throw timeout(`couldn't update PodDisruptionBudget ${JSON.stringify(name)} due to conflicts`, 10);
}

/** @param onlyAt resource version of the pod that may be deleted, unless the request names one; absent: any */
async function deletePod(evicted: Evicted, onlyAt?: string): Promise<void> {
  const { storage, key, write, options } = evicted;
  const asked = { ...(onlyAt === undefined ? {} : { resourceVersion: onlyAt }), ...options.preconditions };
  const marked = evicted.deps.marksEvicted && !write.dryRun ? await markEvicted(evicted, asked) : undefined;
  const expected = asked.resourceVersion === undefined ? undefined : marked;
  const preconditions = expected === undefined ? asked : { ...asked, resourceVersion: expected };
  await storage.delete(key, { ...options, preconditions }, write);
}

/**
 * Sets the condition that says why the pod ends. Source: KEP-3329, "Retriable and non-retriable Pod failures for Jobs".
 * @returns the resource version of the marked pod @throws StatusError Conflict (409) for unmet preconditions
 */
async function markEvicted(
  { storage, key, write, deps }: Evicted,
  wanted: DeleteOptions["preconditions"],
): Promise<string | undefined> {
  const rules = storage.definition.subresources["status"];
  if (rules === undefined) throw new Error("pods have no status");
  const mark = (pod: JsonObject): JsonObject => {
    const { name = "", uid = "", resourceVersion = "" } = metaOf(pod);
    requirePreconditions({ group: "", resource: "Pod" }, name, { wanted, found: { uid, resourceVersion } });
    const status = isObject(pod["status"]) ? pod["status"] : {};
    setCondition(status, EVICTED, timestamp(deps.now()));
    return { ...pod, status };
  };
  const { entry } = await storage.changeInPlace(mark, key, { ...write, subresource: { name: "status", rules } });
  return metaOf(entry.object()).resourceVersion;
}

const EVICTED = {
  type: "DisruptionTarget",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting",
} as const;

/** Whether the pod is not running (yet), so that its end disrupts nothing. */
function isBeyondBudgets(pod: JsonObject): boolean {
  const phase = phaseOf(pod);
  return phase === "Pending" || phase === "Succeeded" || phase === "Failed" || isBeingDeleted(pod);
}

/** The pod may be running by the time that it is deleted. */
const isStarting = (pod: JsonObject): boolean => phaseOf(pod) === "Pending" && !isBeingDeleted(pod);

const phaseOf = (pod: JsonObject): string => statusOf(pod).phase ?? "";

const isReady = (pod: JsonObject): boolean =>
  statusOf(pod).conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
}

const statusOf = ({ status }: JsonObject): PodStatus => (status ?? {}) as PodStatus;

/** Whether a conflict may disappear on a retry: not one with the client's own preconditions. */
function mayPass(error: unknown, { preconditions }: DeleteOptions, pod: JsonObject): boolean {
  const { uid, resourceVersion } = preconditions;
  return isConflict(error) && resourceVersion === undefined && (uid === undefined || uid === metaOf(pod).uid);
}

function isRuledOut({ preconditions }: DeleteOptions, pod: JsonObject): boolean {
  const { uid, resourceVersion } = metaOf(pod);
  const differs = (wanted: string | undefined, found: string | undefined) => wanted !== undefined && wanted !== found;
  return differs(preconditions.uid, uid) || differs(preconditions.resourceVersion, resourceVersion);
}

const isConflict = (error: unknown): boolean => isReason(error, "Conflict");
