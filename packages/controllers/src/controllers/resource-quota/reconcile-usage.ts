// Resource quota controller: recalculates usage when a quota is created or changed, when a counted object is deleted or
// terminates, and periodically. Creations cause no recalculation: the server charges them when it stores the object.
// Source: pkg/controller/resourcequota/resource_quota_controller.go.
import { type QuotaEvaluator, QuotaEvaluators, sum, wantedOf } from "@orch/apis";
import {
  type Client,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  type RequeueAfter,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { type GroupResource, isCode, metaOf, namespaceOf } from "@orch/machinery";
import { pause } from "@orch/platform";
import { isObject, type JsonObject, vocabularyOf } from "@orch/schema";
import type { GateReader } from "../../framework/controller";
import { CountedObjects, type CountedView } from "./counted-objects";
import { ExtendedClaims, namesExtended } from "./extended-claims";
import { namesByEvaluator, nextStatus, type Usage, UsageSums, usageOfStatus } from "./quota-usage";
import { ReservationMarks } from "./reservation-marks";

const QUOTAS = {
  group: "",
  version: "v1",
  resource: "resourcequotas",
  kind: "ResourceQuota",
  namespaced: true,
} as const;
const RETRIES = { firstMs: 5, maxMs: 30_000, perSecond: 100, burst: 1_000 };
/** Delay that combines deletions. */
const GATHER_MS = 20;
/** Pause until the cache is checked again for the required resource version. */
const LOOK_AGAIN_MS = 20;
/** Maximum wait for the initial list of one resource, so that it does not delay the usage of other resources. */
const LISTING_MAX_MS = 10_000;
/**
 * Time after which all servers know a new limit. A server that does not know it yet stores objects without charging
 * them.
 */
const SETTLED_MS = 2_000;

export interface ReconcileUsageOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  /** Returns whether a feature gate is on. */
  readonly isOn: GateReader;
  readonly workers: number;
  /** Period after which all quotas are recalculated. */
  readonly resyncMs: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Runs the controller until the signal is aborted. */
export async function reconcileUsage(options: ReconcileUsageOptions, signal: AbortSignal): Promise<void> {
  await new UsageReconciler(options).run(signal);
}

class UsageReconciler {
  private readonly client: Client;
  private readonly evaluators: QuotaEvaluators;
  /** Quotas that are not in force yet. They do not wait behind quotas that are only recalculated. */
  private readonly urgent: WorkQueue;
  private readonly queue: WorkQueue;
  private readonly counting = new Set<string>();
  private readonly factory: InformerFactory;
  private readonly quotas;
  private readonly counted: CountedObjects;
  private readonly marks: ReservationMarks;
  private readonly sums: UsageSums;
  private readonly extended: ExtendedClaims | undefined;
  /** Quotas as this process has written them last, which the cache may not contain yet. */
  private readonly written = new Map<string, JsonObject>();

  constructor(private readonly options: ReconcileUsageOptions) {
    const { client, release, metrics, resyncMs } = options;
    this.client = client;
    // The rules of this release, by which the server charges objects.
    const vocabulary = vocabularyOf(client.vocabulary);
    this.factory = new InformerFactory(client);
    if (options.isOn("DRAExtendedResource")) {
      this.extended = new ExtendedClaims({
        ...{ vocabulary, factory: this.factory },
        view: (resource) => this.viewOf(resource),
        changed: () => this.classesChanged(),
      });
    }
    const { extended } = this;
    this.evaluators = new QuotaEvaluators({
      ...{ vocabulary, release, isOn: options.isOn },
      ...(extended && { classResources: () => extended.resources }),
    });
    const queueOf = (name: string) =>
      new WorkQueue({
        clock: client.clock,
        retries: RETRIES,
        metrics: metrics?.(name),
      });
    this.urgent = queueOf("resourcequota_priority");
    this.queue = queueOf("resourcequota_primary");
    this.marks = new ReservationMarks(() => client.clock.elapsed());
    this.sums = new UsageSums(
      () => pause(client.clock, 0),
      (claim) => this.extended?.podOf(claim),
    );
    this.quotas = this.factory.informer<JsonObject>(QUOTAS, { resyncMs });
    this.quotas.addHandler({
      added: (quota) => this.seen(undefined, quota),
      updated: (before, quota) => this.seen(before, quota),
      deleted: (quota) => this.forget(keyOf(quota)),
    });
    this.counted = new CountedObjects(
      client,
      {
        changed: (evaluator, namespace) => this.lookAt(evaluator, this.quotas.store.byIndex("namespace", namespace)),
        known: (evaluator) => this.lookAt(evaluator, this.quotas.store.values()),
      },
      () => this.needed(),
      release,
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.client;
    const { workers } = this.options;
    const reconcile = (key: string) => this.reconcileAlone(key);
    this.factory.start(signal);
    const following = this.counted.run(signal);
    await Promise.all([this.urgent, this.queue].map((queue) => runWorkers({ queue, workers, signal, log, reconcile })));
    await Promise.all([following, this.factory.stopped()]);
  }

  private *needed(): Iterable<QuotaEvaluator> {
    for (const quota of this.quotas.store.values()) yield* this.namesOf(quota).keys();
  }

  private namesOf(quota: JsonObject): ReadonlyMap<QuotaEvaluator, readonly string[]> {
    return namesByEvaluator(quota, (name) => this.evaluators.knowing(name));
  }

  private seen(before: JsonObject | undefined, quota: JsonObject): void {
    const key = keyOf(quota);
    const version = versionOf(quota);
    if (before !== quota && versionOf(this.written.get(key)) !== version) this.marks.seen(key, before, quota, version);
    const isResync = before === quota;
    if (isUnsettled(quota)) this.urgent.add(key);
    else if (before === undefined || isResync) this.queue.add(key);
  }

  private forget(key: string): void {
    this.written.delete(key);
    this.marks.forget(key);
  }

  private lookAt(evaluator: QuotaEvaluator, quotas: Iterable<JsonObject>): void {
    for (const quota of quotas) {
      if ([...wantedOf(quota).keys()].some((name) => evaluator.knows(name))) {
        (isUnsettled(quota) ? this.urgent : this.queue).addAfter(keyOf(quota), GATHER_MS);
      }
    }
  }

  private viewOf(resource: GroupResource): CountedView {
    const evaluator = this.evaluators.of(resource);
    return evaluator === undefined ? { kind: "unserved" } : this.counted.view(evaluator);
  }

  private classesChanged(): void {
    this.sums.clear();
    for (const quota of this.quotas.store.values()) {
      if (namesExtended(wantedOf(quota).keys())) this.queue.addAfter(keyOf(quota), GATHER_MS);
    }
  }

  private newest(key: string): JsonObject | undefined {
    const seen = this.quotas.store.get(key);
    const written = this.written.get(key);
    return seen !== undefined && written !== undefined && versionOf(written) > versionOf(seen) ? written : seen;
  }

  private async reconcileAlone(key: string): Promise<RequeueAfter | undefined> {
    if (this.counting.has(key)) return { againAfterMs: LOOK_AGAIN_MS };
    this.counting.add(key);
    try {
      return await this.reconcile(key);
    } finally {
      this.counting.delete(key);
    }
  }

  private async reconcile(key: string): Promise<RequeueAfter | undefined> {
    const quota = this.newest(key);
    if (quota === undefined) return undefined;
    const counted = await this.count(key, quota);
    if ("againAfterMs" in counted) return counted;
    const status = nextStatus(quota, counted.used);
    if (status === undefined) return endOf(counted, this.client.clock.now());
    const isNewLimit = isUnsettled(quota);
    if (!(await this.write(key, { ...quota, status }))) return { againAfterMs: LOOK_AGAIN_MS };
    return isNewLimit ? { againAfterMs: SETTLED_MS } : endOf(counted, this.client.clock.now());
  }

  /** @returns the usage; or a pause when a cache has not reached the required resource version */
  private async count(key: string, quota: JsonObject): Promise<Counted | RequeueAfter> {
    const { clock } = this.client;
    if (this.extended?.isReadyFor(wantedOf(quota).keys()) === false) return { againAfterMs: LOOK_AGAIN_MS };
    const before = usageOfStatus(quota);
    const unknown = new Set<string>();
    let used: Usage = new Map();
    let endsAtMs: number | undefined;
    const nowMs = clock.now();
    for (const [evaluator, names] of this.namesOf(quota)) {
      const view = this.counted.view(evaluator);
      if (view.kind === "unserved") continue;
      if (view.kind === "listing") {
        // The `known` event queues the quota when the cache is complete.
        if (clock.elapsed() - view.sinceMs < LISTING_MAX_MS) return { againAfterMs: LISTING_MAX_MS };
        for (const name of names) unknown.add(name);
        continue;
      }
      if (!names.every((name) => this.marks.isCovered(key, name, view.upTo))) return { againAfterMs: LOOK_AGAIN_MS };
      const objects = view.in(namespaceOf(quota));
      const added = await this.sums.addUp(evaluator, { quota, names, objects }, nowMs);
      // Pods and claims may both use an extended resource.
      used = sum(used, added.used);
      endsAtMs = earliest(endsAtMs, added.endsAtMs);
    }
    if (unknown.size > 0) used = new Map([...used, ...[...before].filter(([name]) => unknown.has(name))]);
    return { used, endsAtMs };
  }

  /**
   * Writes the status if the quota has not changed since the calculation.
   * @returns false when it has changed or is gone
   */
  private async write(key: string, quota: JsonObject): Promise<boolean> {
    const { namespace } = splitKey(key);
    const quotas = this.client.resource<JsonObject>(QUOTAS).namespace(namespace);
    try {
      const written = await quotas.updateStatus(quota);
      this.written.set(key, written);
      this.marks.own(key, versionOf(written));
      return true;
    } catch (error) {
      if (isCode(error, 409, 404)) return false;
      throw error;
    }
  }
}

interface Counted {
  readonly used: Usage;
  readonly endsAtMs: number | undefined;
}

const versionOf = (quota: JsonObject | undefined): number =>
  quota === undefined ? 0 : Number(metaOf(quota).resourceVersion);

/** Returns whether the limits in the spec differ from those in force, or there is no usage yet. */
function isUnsettled(quota: JsonObject): boolean {
  const status = isObject(quota["status"]) ? quota["status"] : {};
  const spec = isObject(quota["spec"]) ? quota["spec"] : {};
  const text = (hard: unknown) => JSON.stringify(Object.entries(hard ?? {}).sort());
  return status["used"] === undefined || text(spec["hard"]) !== text(status["hard"]);
}

function endOf({ endsAtMs }: Counted, nowMs: number): RequeueAfter | undefined {
  return endsAtMs === undefined ? undefined : { againAfterMs: Math.max(endsAtMs - nowMs, 0) + 1 };
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
