// Elects leaders for programs that nominate themselves with LeaseCandidates. One API server of the cluster runs it.
// Source: pkg/controlplane/controller/leaderelection/leaderelection_controller.go; Kubernetes KEP-4355.
import { isReason, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields, pauseUnlessAborted, type RequeueAfter, runWorkers, systemClock, WorkQueue } from "@orch/platform";
import { type Entry, EventLoopYielder, ResourceInformer, type ResourceStorage } from "@orch/registry";
import { isObject, type JsonObject, microTimeText, type Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";
import {
  type Candidate,
  candidateOf,
  type ElectionStep,
  electedLease,
  electionStep,
  isAsked,
  isCandidateExpired,
  type LeaseSpec,
} from "./election-rules";

export interface LeaderElectionsDeps {
  readonly leases: ResourceStorage;
  readonly leaseCandidates: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Interval at which the lease of each candidate is checked. */
const CHECKED_EVERY_MS = 5_000;
/** Interval at which expired candidates are deleted. */
const SWEPT_EVERY_MS = 30 * 60_000;

/** Runs elections until the signal is aborted. */
export async function runLeaderElections(deps: LeaderElectionsDeps, signal: AbortSignal): Promise<void> {
  const elections = new LeaderElections(deps, signal);
  await Promise.all([elections.run(), elections.sweep()]);
}

class LeaderElections {
  /** Candidates by path, for each lease that they want. */
  private readonly wanted = new Map<string, Map<string, Candidate>>();
  private readonly leaseOf = new Map<string, string>();
  private readonly queue = new WorkQueue<string>();

  constructor(
    private readonly deps: LeaderElectionsDeps,
    private readonly signal: AbortSignal,
  ) {}

  async run(): Promise<void> {
    const { leases, leaseCandidates, logger } = this.deps;
    const shared = { log: logger, pause: (ms: number) => pauseUnlessAborted(systemClock, ms, this.signal) };
    const lookAt = ({ path }: { readonly path: string }) => {
      if (this.wanted.has(path)) this.queue.add(path);
    };
    const informers = [
      new ResourceInformer({
        ...{ ...shared, storage: leaseCandidates, loop: new EventLoopYielder() },
        changed: (entry) => this.put(entry),
        removed: ({ path }) => this.remove(path),
      }),
      new ResourceInformer({
        ...{ ...shared, storage: leases, loop: new EventLoopYielder() },
        ...{ changed: lookAt, removed: lookAt },
      }),
    ];
    const end = () => {
      for (const informer of informers) informer.close();
    };
    this.signal.addEventListener("abort", end, { once: true });
    if (this.signal.aborted) end();
    for (const informer of informers) await informer.startWithRetries();
    await runWorkers({
      ...{ queue: this.queue, workers: 1, signal: this.signal, log: logger },
      reconcile: (path) => this.reconcile(path),
    });
  }

  /** Deletes expired candidates, now and at an interval. */
  async sweep(): Promise<void> {
    const { leaseCandidates, logger, now } = this.deps;
    for (; !this.signal.aborted; await pauseUnlessAborted(systemClock, SWEPT_EVERY_MS, this.signal)) {
      try {
        const all = { namespace: "", read: { kind: "any" }, selection: {}, limit: 0 } as const;
        for (const entry of (await leaseCandidates.list(all)).entries)
          if (isCandidateExpired(candidateOf(entry.whole()), now())) await this.delete(entry);
      } catch (error) {
        logger.warn("cannot delete expired lease candidates", errorFields(error));
      }
    }
  }

  private put(entry: Entry): void {
    const candidate = candidateOf(entry.whole());
    const path = `${entry.namespace}/${candidate.leaseName}`;
    if (this.leaseOf.get(entry.path) !== path) this.remove(entry.path);
    this.leaseOf.set(entry.path, path);
    const others = this.wanted.get(path) ?? new Map<string, Candidate>();
    this.wanted.set(path, others.set(entry.path, candidate));
    // An election waits for the answer.
    if (!isAsked(candidate)) this.queue.add(path);
  }

  private remove(candidatePath: string): void {
    const path = this.leaseOf.get(candidatePath) ?? "";
    const others = this.wanted.get(path);
    this.leaseOf.delete(candidatePath);
    others?.delete(candidatePath);
    if (others?.size === 0) this.wanted.delete(path);
    else if (others !== undefined) this.queue.add(path);
  }

  private async reconcile(path: string): Promise<RequeueAfter | undefined> {
    const [namespace = "", name = ""] = path.split("/");
    const { leases, logger, now } = this.deps;
    const nowMs = now();
    const candidates = [...(this.wanted.get(path)?.values() ?? [])].filter((each) => !isCandidateExpired(each, nowMs));
    if (candidates.length === 0) return undefined;
    const lease = leases.peek({ namespace, name });
    const step = electionStep(candidates, lease && specOf(lease.whole()), nowMs);
    await this.take(step, { namespace, name });
    if (step.kind === "problem") logger.info("no leader is elected", { lease: path, why: step.text });
    return { againAfterMs: CHECKED_EVERY_MS };
  }

  private async take(step: ElectionStep, lease: { readonly namespace: string; readonly name: string }): Promise<void> {
    switch (step.kind) {
      case "none":
      case "wait":
      case "problem":
        return;
      case "ping":
        await Promise.all(step.names.map((name) => this.ping({ namespace: lease.namespace, name })));
        return;
      case "elect":
        return this.elect(step, lease);
      default:
        step satisfies never;
    }
  }

  private async ping(candidate: { readonly namespace: string; readonly name: string }): Promise<void> {
    const { leaseCandidates, vocabulary, now } = this.deps;
    const change = (object: JsonObject): JsonObject => ({
      ...object,
      spec: { ...(isObject(object["spec"]) ? object["spec"] : {}), pingTime: microTimeText(now()) },
    });
    try {
      await leaseCandidates.changeInPlace(change, candidate, serverWrite(leaseCandidates, vocabulary));
    } catch (error) {
      if (!isReason(error, "NotFound")) throw error;
    }
  }

  private async elect(
    step: ElectionStep & { readonly kind: "elect" },
    key: { readonly namespace: string; readonly name: string },
  ): Promise<void> {
    const { leases, vocabulary, logger, now } = this.deps;
    const { kind, apiVersion } = leases.definition.storage;
    const object = { kind, apiVersion, metadata: key, spec: electedLease(undefined, step, now()) };
    const existing = await createUnlessPresent(leases, canonical(leases, object as unknown as JsonObject), vocabulary);
    const report = (text: string) => logger.info(text, { lease: `${key.namespace}/${key.name}`, holder: step.holder });
    if (existing === undefined) return report("created a lease for the elected leader");
    let before: LeaseSpec | undefined;
    let after: LeaseSpec = {};
    const change = (lease: JsonObject): JsonObject => {
      before = specOf(lease);
      after = electedLease(before, step, now());
      return { ...lease, spec: after as unknown as JsonObject };
    };
    try {
      await leases.changeInPlace(change, key, serverWrite(leases, vocabulary));
    } catch (error) {
      // Deleted meanwhile: the next step creates it.
      if (!isReason(error, "NotFound")) throw error;
    }
    if (after.holderIdentity !== before?.holderIdentity) report("gave a lease to the elected leader");
    else if (after.preferredHolder !== before?.preferredHolder) report("asked a leader to step down");
  }

  /** Deletes a candidate unless it was renewed since it was read. */
  private async delete(entry: Entry): Promise<void> {
    const { leaseCandidates, vocabulary } = this.deps;
    const { uid = "", resourceVersion = "" } = metaOf(entry.whole());
    const key = { namespace: entry.namespace, name: entry.name };
    try {
      const options = { preconditions: { uid, resourceVersion } };
      await leaseCandidates.delete(key, options, serverWrite(leaseCandidates, vocabulary));
    } catch (error) {
      if (!isReason(error, "NotFound") && !isReason(error, "Conflict")) throw error;
    }
  }
}

const specOf = ({ spec }: JsonObject): LeaseSpec => (isObject(spec) ? spec : {}) as LeaseSpec;
