// Disruption controller: keeps the status of every disruption budget up to date. The API server relies on it when it
// allows evictions. Updates are conditional on the version that was read, so that concurrent changes by the API server
// and the controller do not overwrite each other. Source: pkg/controller/disruption/disruption.go.

import {
  type Client,
  type EventSink,
  type Informer,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RecordedEvent,
  type RequeueAfter,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode, metaOf, namespaceOf, sameJson } from "@orch/machinery";
import { messageOf } from "@orch/platform";
import { compareReleases, type coreV1, type JsonObject, type JsonValue } from "@orch/schema";
import type { SharedViews } from "../../framework/shared-views";
import { BudgetSelectors } from "./budget-pods";
import {
  asksForScale,
  type Budget,
  type BudgetStatus,
  countedStatus,
  evictionsOf,
  safeStatus,
  UncountableError,
} from "./budget-status";
import { countsOtherwise } from "./counted-pod";
import { expectedPods } from "./expected-pods";
import { WorkloadScales } from "./workload-scales";

export interface ReconcileBudgetsOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly events: EventSink;
  readonly views: SharedViews;
  readonly metrics?: (queue: string) => QueueMetrics;
}

const WORKERS = 5;
/** Delay that combines the changes of many pods. */
const GATHER_MS = 20;
/** Resync period: the controller does not watch the scale of custom workloads. */
const RESYNC_MS = 10 * 60_000;

/** First release in which budgets are read as v1 and have conditions. */
const V1_SINCE = "1.21";
/** First release in which pods without a controller are skipped; earlier ones make the budget uncountable. */
const UNMANAGED_LEFT_OUT_SINCE = "1.22";

/** Runs the controller until the signal is aborted. */
export async function reconcileBudgets(options: ReconcileBudgetsOptions, signal: AbortSignal): Promise<void> {
  await new BudgetReconciler(options).run(signal);
}

class BudgetReconciler {
  private readonly client: Client;
  private readonly type: ResourceType<Budget>;
  private readonly queue: WorkQueue;
  private readonly factory: InformerFactory;
  private readonly budgets: Informer<Budget>;
  private readonly pods: Informer<coreV1.Pod>;
  private readonly scales: WorkloadScales;
  private readonly selectors: BudgetSelectors;
  private readonly hasConditions: boolean;
  private readonly leavesOutUnmanaged: boolean;

  constructor(private readonly options: ReconcileBudgetsOptions) {
    const { client, release, metrics, views } = options;
    this.client = client;
    this.hasConditions = compareReleases(release, V1_SINCE) >= 0;
    this.leavesOutUnmanaged = compareReleases(release, UNMANAGED_LEFT_OUT_SINCE) >= 0;
    this.type = { ...BUDGETS, version: this.hasConditions ? "v1" : "v1beta1" };
    this.selectors = new BudgetSelectors(this.type.version);
    this.queue = new WorkQueue({
      clock: client.clock,
      metrics: metrics?.("disruption"),
    });
    this.factory = new InformerFactory(client);
    this.budgets = this.factory.informer(this.type, { resyncMs: RESYNC_MS });
    this.pods = views.pods();
    this.scales = new WorkloadScales(client, this.factory);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { queue, budgets, pods } = this;
    const look = (budget: Budget) => queue.add(keyOf(budget));
    budgets.addHandler({ added: look, updated: (_before, after) => look(after) });
    const lookFor = (...changed: readonly coreV1.Pod[]) => this.lookFor(changed);
    const forgetPods = pods.addHandler({
      added: (pod, isInInitialList) => {
        if (!isInInitialList) lookFor(pod);
      },
      updated: (before, after) => {
        if (countsOtherwise(before, after)) lookFor(before, after);
      },
      deleted: (pod) => lookFor(pod),
    });
    this.scales.follow((uid) => this.lookFor(pods.store.byIndex("ownerUid", uid)));
    this.factory.start(signal);
    await Promise.all([this.factory.synced(signal), pods.synced(signal)]).catch(() => {});
    await runWorkers({
      queue,
      workers: WORKERS,
      signal,
      log: this.client.log,
      reconcile: (key) => this.reconcile(key),
    });
    forgetPods();
    await this.factory.stopped();
  }

  /** Queues every budget that selects one of the pods. */
  private lookFor(pods: readonly coreV1.Pod[]): void {
    const [first] = pods;
    if (first === undefined) return;
    for (const budget of this.budgets.store.byIndex("namespace", namespaceOf(first as JsonObject))) {
      if (pods.some(this.selectors.of(budget))) this.queue.addAfter(keyOf(budget), GATHER_MS);
    }
  }

  private async reconcile(key: string): Promise<RequeueAfter | undefined> {
    const budget = this.budgets.store.get(key);
    if (budget === undefined) return undefined;
    const pods = this.pods.store
      .byIndex("namespace", namespaceOf(budget as JsonObject))
      .filter(this.selectors.of(budget));
    const nowMs = this.client.clock.now();
    const evictions = evictionsOf(budget, pods, nowMs);
    const by = { hasConditions: this.hasConditions, nowMs };
    let status: BudgetStatus;
    try {
      const expected = asksForScale(budget) ? await this.expected(budget, pods) : countOf(budget, pods);
      status = countedStatus(budget, { pods, expected, pending: evictions.pending }, by);
    } catch (error) {
      await this.failSafe(budget, error, by);
      return undefined;
    }
    for (const pod of evictions.overdue) this.tellOverdue(pod, budget);
    const isNews = await this.write(budget, status);
    if (isNews && pods.length === 0) this.tell(budget, "Normal", "NoPods", "no pods match its selector");
    return evictions.overdueAtMs === undefined ? undefined : { againAfterMs: evictions.overdueAtMs - nowMs };
  }

  private async expected(budget: Budget, pods: readonly coreV1.Pod[]): Promise<number> {
    const { leavesOutUnmanaged } = this;
    const { count, unmanaged } = await expectedPods(pods, this.scales, { leavesOutUnmanaged });
    if (unmanaged.length > 0) this.tell(budget, "Warning", "UnmanagedPods", UNMANAGED);
    return count;
  }

  /** @throws errors that may be transient, so that the work is retried */
  private async failSafe(
    budget: Budget,
    error: unknown,
    by: { readonly hasConditions: boolean; readonly nowMs: number },
  ): Promise<void> {
    const why = messageOf(error);
    if (error instanceof UncountableError && !this.hasConditions) this.tell(budget, "Warning", error.reason, why);
    this.tell(
      budget,
      "Warning",
      "CalculateExpectedPodCountFailed",
      `cannot determine the expected number of pods: ${why}`,
    );
    await this.write(budget, safeStatus(budget, why, by));
    // A change of the pods or their controllers causes another reconciliation.
    if (!(error instanceof UncountableError)) throw error;
  }

  /** @returns whether the status was changed */
  private async write(budget: Budget, status: BudgetStatus): Promise<boolean> {
    const { status: said, metadata } = budget;
    if (said !== undefined && sameJson(said as unknown as JsonValue, status as unknown as JsonValue)) return false;
    const budgets = this.client.resource(this.type).namespace(metadata?.namespace ?? "");
    try {
      await budgets.updateStatus({ ...budget, status });
      return true;
    } catch (error) {
      // The watch reports the newest version soon.
      if (!isCode(error, 404, 409)) throw error;
      return false;
    }
  }

  private tellOverdue(pod: coreV1.Pod, budget: Budget): void {
    const note = `its eviction was allowed by the disruption budget ${keyOf(budget)}, and it has not been deleted since`;
    const { name, namespace, uid } = metaOf(pod as JsonObject);
    this.record("Warning", "NotDeleted", note, { apiVersion: "v1", kind: "Pod", name, namespace, uid });
  }

  private tell(budget: Budget, type: RecordedEvent["type"], reason: string, note: string): void {
    const { name, namespace, uid } = metaOf(budget as JsonObject);
    const apiVersion = `${this.type.group}/${this.type.version}`;
    this.record(type, reason, note, { apiVersion, kind: this.type.kind, name, namespace, uid });
  }

  private record(type: RecordedEvent["type"], reason: string, note: string, regarding: object): void {
    this.options.events.record({ type, reason, note, action: "KeepBudget", regarding });
  }
}

const BUDGETS = {
  group: "policy",
  resource: "poddisruptionbudgets",
  kind: "PodDisruptionBudget",
  namespaced: true,
} as const;
const UNMANAGED =
  "some of its pods have no controller and are not counted as expected: set minAvailable to an integer to count them";

/** Returns the expected pods of a budget that does not depend on a scale: none without `minAvailable`. */
const countOf = ({ spec }: Budget, pods: readonly coreV1.Pod[]): number =>
  spec?.minAvailable === undefined ? 0 : pods.length;
