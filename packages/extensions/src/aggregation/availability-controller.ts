// Maintains the condition Available of all APIServices. Every replica checks for itself and writes its finding, limited
// by own-word.ts. Requests use the findings of this replica and the stored condition, so a replica that reaches an
// aggregated API server forwards requests whatever another replica has written.
import { isReason, timestamp } from "@orch/machinery";
import { type Clock, errorFields, type Log, type QueueMetrics, runWorkers, WorkQueue } from "@orch/platform";
import { ResourceInformer, type ResourceStorage, type WriteContext } from "@orch/registry";
import { isObject, type JsonObject } from "@orch/schema";
import { type AvailabilityParts, availabilityOf, LOCAL } from "./availability";
import { FindingSchedule } from "./finding-schedule";
import {
  AVAILABLE,
  type AvailableCondition,
  isRemote,
  type Registration,
  type RemoteRegistration,
  sameBackend,
} from "./registration";
import type { Registrations } from "./registrations";

export interface AvailabilityControllerParts extends AvailabilityParts {
  /** Storage of APIServices. */
  readonly storage: ResourceStorage;
  readonly registrations: Registrations;
  readonly write: WriteContext;
  readonly log: Log;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  readonly queueMetrics?: QueueMetrics;
  /** Called with each finding. Called without a finding when the APIService is gone. */
  readonly found?: (name: string, finding: AvailableCondition | undefined, isNews: boolean) => void;
}

const WORKERS = 5;
const RESYNC_MS = 30_000;
/**
 * Retry delays after a failed check: doubled from the first to the last. Only a further check shows that an aggregated
 * API server is back.
 */
const RETRIES = { firstMs: 5, maxMs: 3_000, perSecond: 1000, burst: 1000 };

export class AvailabilityController {
  private readonly findings = new Map<string, AvailableCondition>();
  /** APIService names by the service they refer to, `namespace/name`. */
  private readonly byService = new Map<string, Set<string>>();
  private readonly ending = new AbortController();
  private readonly informers: ResourceInformer[] = [];
  private resync: NodeJS.Timeout | undefined;
  /** Undefined while no APIService refers to an aggregated API server. */
  private queue: WorkQueue | undefined;
  private working: Promise<void> | undefined;

  private readonly ownWord: FindingSchedule;

  constructor(private readonly parts: AvailabilityControllerParts) {
    this.ownWord = new FindingSchedule(() => parts.clock.elapsed());
  }

  start(): void {
    const { registrations } = this.parts;
    registrations.onChange((now, before) => this.changed(now, before));
    for (const each of registrations.all()) this.changed(each, undefined);
  }

  /** Creates the queue at the first remote APIService. Most servers never have one. */
  private queueOfRemotes(): WorkQueue {
    if (this.queue !== undefined) return this.queue;
    const { registrations } = this.parts;
    const queue = new WorkQueue({ retries: RETRIES, metrics: this.parts.queueMetrics });
    this.queue = queue;
    this.followNetwork();
    this.resync = setInterval(() => {
      for (const { name } of registrations.remotes()) queue.add(name);
    }, RESYNC_MS).unref();
    const reconcile = (name: string) => this.look(name);
    this.working = runWorkers({ queue, workers: WORKERS, reconcile, signal: this.ending.signal });
    return queue;
  }

  async stop(): Promise<void> {
    clearInterval(this.resync);
    for (const informer of this.informers) informer.close();
    this.ending.abort(new Error("the server is stopping"));
    await this.working;
  }

  /**
   * Reports whether requests may be sent to the aggregated API server: this replica reached it, or the stored condition
   * is True.
   */
  isAvailable({ name, condition }: RemoteRegistration): boolean {
    return this.findings.get(name)?.status === "True" || condition?.status === "True";
  }

  private changed(now: Registration | undefined, before: Registration | undefined): void {
    const name = (now ?? before)?.name ?? "";
    const isSame = now !== undefined && before !== undefined && sameBackend(now, before);
    if (!isSame) {
      this.findings.delete(name);
      this.ownWord.forget(name);
      this.queue?.forget(name);
    }
    if (before !== undefined && isRemote(before) && !isSame) this.byService.get(serviceOf(before))?.delete(name);
    if (now === undefined) {
      this.parts.found?.(name, undefined, false);
      return;
    }
    if (isRemote(now)) {
      const service = serviceOf(now);
      this.byService.set(service, (this.byService.get(service) ?? new Set()).add(name));
      if (!isSame) this.queueOfRemotes().add(name);
    } else if (now.condition === undefined || !isSameCondition(now.condition, LOCAL)) this.markLocal(now);
  }

  private markLocal(registration: Registration): void {
    this.parts.found?.(registration.name, undefined, false);
    this.write(registration, LOCAL).catch((error: unknown) =>
      this.parts.log.warn("cannot mark an APIService as local", { name: registration.name, ...errorFields(error) }),
    );
  }

  private followNetwork(): void {
    const { services, endpoints, log, pause } = this.parts;
    const moved = ({ namespace, name }: { readonly namespace: string; readonly name: string }): void => {
      for (const each of this.byService.get(`${namespace}/${name}`) ?? []) this.queue?.add(each);
    };
    for (const storage of [services, endpoints]) {
      const informer = new ResourceInformer({ storage, log, pause, changed: moved, removed: moved });
      this.informers.push(informer);
      void informer.startWithRetries();
    }
  }

  /** Checks one APIService. @throws when the check must be retried soon */
  private async look(name: string): Promise<void> {
    const { registrations, log, found } = this.parts;
    const registration = registrations.get(name);
    if (registration === undefined || !isRemote(registration)) return;
    const finding = await availabilityOf(registration, this.parts, this.ending.signal);
    const current = registrations.get(name);
    // The APIService has changed meanwhile. The change has queued another check.
    if (current === undefined || !sameBackend(current, registration)) return;
    const before = this.findings.get(name);
    this.findings.set(name, finding);
    const isNews = before?.status !== finding.status || before.reason !== finding.reason;
    found?.(name, finding, isNews);
    if (isNews)
      log.info("checked an aggregated API server", { name, available: finding.status, reason: finding.reason });
    if (this.ownWord.isDue(name, finding, current.condition)) {
      try {
        await this.write(current, finding);
      } catch (error) {
        this.ownWord.forget(name);
        throw error;
      }
    }
    if (finding.status !== "True" && ALSO_SOON.has(finding.reason)) throw new Error(finding.message);
  }

  private async write({ name, uid }: Registration, finding: AvailableCondition): Promise<void> {
    const { storage, write, clock } = this.parts;
    const rules = storage.definition.subresources["status"];
    if (rules === undefined) throw new Error("APIServices have no status");
    const nowText = timestamp(clock.now());
    try {
      await storage.changeInPlace(
        (object) =>
          (object["metadata"] as JsonObject)["uid"] === uid ? withCondition(object, finding, nowText) : object,
        { namespace: "", name },
        { ...write, subresource: { name: "status", rules } },
      );
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
    }
  }
}

/** Reasons whose end no watch event announces, so that the check is retried. */
const ALSO_SOON: ReadonlySet<string> = new Set(["FailedDiscoveryCheck", "ServiceAccessError", "EndpointsAccessError"]);

const serviceOf = ({ backend: { service } }: RemoteRegistration): string => `${service.namespace}/${service.name}`;

const isSameCondition = (one: AvailableCondition, other: AvailableCondition): boolean =>
  one.status === other.status && one.reason === other.reason && one.message === other.message;

/** Sets the condition. `lastTransitionTime` changes only with the status. */
function withCondition(object: JsonObject, finding: AvailableCondition, now: string): JsonObject {
  const status = isObject(object["status"]) ? object["status"] : {};
  const conditions = Array.isArray(status["conditions"]) ? (status["conditions"] as JsonObject[]) : [];
  const before = conditions.find(({ type }) => type === AVAILABLE);
  const since = before !== undefined && before["status"] === finding.status ? before["lastTransitionTime"] : now;
  const condition = {
    type: AVAILABLE,
    status: finding.status,
    lastTransitionTime: since ?? now,
    reason: finding.reason,
    message: finding.message,
  };
  const next =
    before === undefined ? [...conditions, condition] : conditions.map((each) => (each === before ? condition : each));
  return { ...object, status: { ...status, conditions: next } };
}
