// Deletes what its owners have left behind, and lets owners go that wait for their dependents.
// Source: facts, controllers.md "garbagecollector".
import { type Client, type EventSink, type QueueMetrics, ResourceMapper, runWorkers, WorkQueue } from "@orch/client";
import { FOREGROUND, metaOf, ORPHAN, type OwnerReference } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { AbsentOwners } from "./absent-owners";
import { choose, type OwnerFinding, type OwnerState } from "./deletion-choice";
import type { Identity } from "./identity";
import { ObjectAccess } from "./object-access";
import { ObjectMonitors } from "./object-monitors";
import { type GraphNode, identityOf, OwnerGraph, type ToDo } from "./owner-graph";

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly events: EventSink;
  /** Of each of the two queues. */
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** An owner that is there but that no watch has shown yet is looked at again. */
const AWAIT_SIGHT_MS = 1_000;

/** Works until the signal is aborted. */
export async function collectGarbage(options: GarbageCollectorOptions, signal: AbortSignal): Promise<void> {
  await new GarbageCollector(options).run(signal);
}

class GarbageCollector {
  private readonly graph = new OwnerGraph();
  private readonly absent = new AbsentOwners();
  private readonly toExamine: WorkQueue;
  private readonly toOrphan: WorkQueue;
  private readonly monitors: ObjectMonitors;
  private readonly objects: ObjectAccess;

  constructor(private readonly options: GarbageCollectorOptions) {
    const { client, metrics } = options;
    const queue = (name: string) => new WorkQueue({ metrics: metrics?.(name) });
    this.toExamine = queue("garbage_collector_attempt_to_delete");
    this.toOrphan = queue("garbage_collector_attempt_to_orphan");
    this.objects = new ObjectAccess(client, new ResourceMapper(client));
    this.monitors = new ObjectMonitors(client, {
      observed: (identity, object) => this.carryOut(this.graph.observe(identity, object)),
      gone: (uid) => this.carryOut(this.graph.forget(uid)),
      rediscovered: () => this.objects.forgetKinds(),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { workers, client } = this.options;
    const work = (queue: WorkQueue, reconcile: (uid: string) => Promise<void>) =>
      runWorkers({
        queue,
        workers,
        signal,
        log: client.log,
        reconcile: async (uid) => {
          await this.monitors.synced(); // half a graph knows half of the owners
          await reconcile(uid);
        },
      });
    let working: Promise<unknown> = Promise.resolve();
    let started = false;
    await this.monitors.run(signal, () => {
      if (started) return;
      started = true;
      working = Promise.all([
        work(this.toExamine, (uid) => this.examine(uid)),
        work(this.toOrphan, (uid) => this.orphan(uid)),
      ]);
    });
    await working;
  }

  private carryOut({ examine, orphan, absent }: ToDo): void {
    for (const identity of absent) this.absent.add(identity);
    for (const uid of orphan) this.toOrphan.add(uid);
    for (const uid of examine) this.toExamine.add(uid);
  }

  private async examine(uid: string): Promise<void> {
    const node = this.graph.node(uid);
    if (node === undefined || (node.beingDeleted && !node.deletingDependents)) return;
    if (!node.virtual && !node.deletingDependents && node.owners.length === 0) return;
    const { identity } = node;
    const object = await this.objects.read(identity);
    if (object === undefined) this.carryOut(this.graph.confirmAbsent(identity));
    else if (node.deletingDependents) await this.letGoOnceAlone(node);
    else if (!node.virtual) await this.decide(node, object);
    else this.toExamine.addAfter(uid, AWAIT_SIGHT_MS); // it is there: the watch will show it soon, or it will go
  }

  private async letGoOnceAlone(node: GraphNode): Promise<void> {
    const blocking = this.graph.dependentsThatBlock(node);
    if (blocking.length === 0) await this.objects.removeFinalizer(node.identity, FOREGROUND);
    for (const dependent of blocking) if (!dependent.deletingDependents) this.toExamine.add(dependent.uid);
  }

  private async decide(node: GraphNode, object: JsonObject): Promise<void> {
    const { identity } = node;
    const { finalizers = [], ownerReferences = [] } = metaOf(object);
    const findings: OwnerFinding[] = [];
    for (const reference of ownerReferences) {
      const state = await this.ownerState(reference, identity);
      if (state === "outOfReach") return;
      findings.push({ reference, state });
    }
    const dependents = [...node.dependents];
    const oneWaits = dependents.some(({ deletingDependents }) => deletingDependents);
    const choice = choose(findings, finalizers, { some: dependents.length > 0, oneWaits });
    switch (choice.kind) {
      case "keep":
        return;
      case "dropReferences":
        return this.objects.dropReferences(identity, choice.uids);
      case "delete":
        if (choice.unblock) await this.objects.unblockOwners(identity, ownerReferences);
        return this.objects.delete(identity, choice.policy);
    }
  }

  /** @returns outOfReach: an object of the whole cluster cannot belong to a namespaced one, and is left alone */
  private async ownerState(reference: OwnerReference, of: Identity): Promise<OwnerState | "outOfReach"> {
    const isNamespaced = await this.objects.isNamespaced({
      apiVersion: reference.apiVersion ?? "",
      kind: reference.kind ?? "",
    });
    if (isNamespaced && of.namespace === "") {
      this.options.client.log.warn("a cluster-scoped object names a namespaced owner", {
        kind: of.kind,
        name: of.name,
      });
      return "outOfReach";
    }
    const owner = identityOf(reference, isNamespaced ? of.namespace : "");
    this.tellOfDistantOwner(reference, of);
    if (this.absent.has(owner)) return "absent";
    const object = await this.objects.read(owner);
    if (object === undefined) {
      this.absent.add(owner);
      return "absent";
    }
    const { deletionTimestamp, finalizers = [] } = metaOf(object);
    return deletionTimestamp && finalizers.includes(FOREGROUND) ? "waiting" : "solid";
  }

  /** An owner in another namespace counts as absent, which those who named it should hear of. */
  private tellOfDistantOwner(reference: OwnerReference, of: Identity): void {
    const owner = this.graph.node(reference.uid ?? "");
    if (owner === undefined || owner.virtual) return;
    const { kind, name, namespace } = owner.identity;
    if (namespace === "" || namespace === of.namespace) return;
    this.options.events.record({
      regarding: { ...of },
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      action: "CollectGarbage",
      note: `its owner, ${kind} ${name}, is in the namespace ${namespace}, not in ${of.namespace}: it counts as absent`,
    });
  }

  /** Its dependents forget it, then it goes. A failure anywhere is tried again from the start. */
  private async orphan(uid: string): Promise<void> {
    const node = this.graph.node(uid);
    if (node === undefined) return;
    await Promise.all([...node.dependents].map(({ identity }) => this.objects.dropReferences(identity, [uid])));
    await this.objects.removeFinalizer(node.identity, ORPHAN);
  }
}
