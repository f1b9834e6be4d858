// Garbage collector: deletes objects whose owners are gone, and releases owners that wait for their dependents.
// Source: Kubernetes documentation, "Garbage Collection"; pkg/controller/garbagecollector/garbagecollector.go.
import {
  type Client,
  type EventSink,
  type QueueMetrics,
  type RequeueAfter,
  ResourceMapper,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { FOREGROUND, metaOf, ORPHAN, type OwnerReference } from "@orch/machinery";
import { EventLoopYielder } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { Identity } from "../../framework/objects/identity";
import { ObjectAccess } from "../../framework/objects/object-access";
import type { ObjectMonitors } from "../../framework/objects/object-monitors";
import { choose, type OwnerFinding, type OwnerState } from "./deletion-choice";
import { GraphChanges } from "./graph-changes";
import { type Claim, type GraphNode, identityOf, OwnerGraph, type ToDo } from "./owner-graph";
import { AbsentOwners } from "./owner-identity";

export interface GarbageCollectorOptions {
  readonly client: Client;
  readonly events: EventSink;
  /** The watches of all collections. */
  readonly monitors: ObjectMonitors;
  /** Number of workers of each of the two queues. */
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/**
 * Initial pause before another lookup of an owner that exists but was not seen by a watch. The pause doubles each time.
 */
const LOOK_UP_AGAIN_MS = 1_000;
/** Maximum pause. Objects of kinds that cannot be watched are looked up as long as they have dependents. */
const LOOK_UP_AGAIN_MAX_MS = 60_000;

/** Number of dependents of one owner that are orphaned concurrently. An owner may have tens of thousands. */
const ORPHANED_AT_ONCE = 32;

/** Number of items that are added to the queue between two stops. */
const QUEUED_AT_ONCE = 500;

/** Runs the controller until the signal is aborted. */
export async function collectGarbage(options: GarbageCollectorOptions, signal: AbortSignal): Promise<void> {
  await new GarbageCollector(options).run(signal);
}

class GarbageCollector {
  private readonly graph = new OwnerGraph();
  private readonly yielder = new EventLoopYielder();
  private readonly changes = new GraphChanges((todo) => this.carryOut(todo), this.yielder);
  private readonly absent = new AbsentOwners();
  private readonly toExamine: WorkQueue;
  private readonly toOrphan: WorkQueue;
  private readonly objects: ObjectAccess;

  constructor(private readonly options: GarbageCollectorOptions) {
    const { client, metrics } = options;
    const queue = (name: string) => new WorkQueue({ metrics: metrics?.(name) });
    this.toExamine = queue("garbage_collector_attempt_to_delete");
    this.toOrphan = queue("garbage_collector_attempt_to_orphan");
    this.objects = new ObjectAccess(client, new ResourceMapper(client));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { workers, client, monitors } = this.options;
    const work = (queue: WorkQueue, reconcile: (item: string) => Promise<RequeueAfter | undefined>) =>
      runWorkers({
        queue,
        workers,
        signal,
        log: client.log,
        reconcile: async (item) => {
          await monitors.synced(); // an incomplete graph lacks owners
          return reconcile(item);
        },
      });
    monitors.subscribe({
      observed: (identity, object) => this.changes.make(identity.uid, () => this.graph.observe(identity, object)),
      gone: (uid) => this.forget(uid),
      rediscovered: () => this.objects.forgetKinds(),
    });
    await monitors.ready();
    await Promise.all([
      work(this.toExamine, (item) => {
        const claim = this.graph.claim(item);
        return claim === undefined ? this.examine(item) : this.lookUp(claim);
      }),
      work(this.toOrphan, (uid) => this.orphan(uid)),
    ]);
  }

  private forget(uid: string): void | Promise<void> {
    return this.changes.make(uid, () => this.graph.forget(uid));
  }

  private *carryOut({ examine, lookUp, orphan, absent }: ToDo): Generator<undefined, undefined> {
    for (const identity of absent) this.absent.add(identity);
    for (const uid of orphan) this.toOrphan.add(uid);
    for (const items of [lookUp, examine]) {
      for (const [index, item] of items.entries()) {
        if (index % QUEUED_AT_ONCE === QUEUED_AT_ONCE - 1) yield;
        this.toExamine.add(item);
      }
    }
  }

  /** Looks up an owner that no watch has reported. */
  private async lookUp(claim: Claim): Promise<RequeueAfter | undefined> {
    if (claim.settled) return undefined;
    const owner = await this.locate(claim.identity);
    if (owner === undefined || (await this.readOwner(owner)) === undefined) {
      for (const _ of this.carryOut(this.graph.settle(claim))) await this.pause();
      return undefined;
    }
    const againAfterMs = Math.min(LOOK_UP_AGAIN_MS * 2 ** claim.sightings, LOOK_UP_AGAIN_MAX_MS);
    claim.sightings += 1;
    return { againAfterMs };
  }

  private async examine(uid: string): Promise<undefined> {
    const node = this.graph.node(uid);
    if (node === undefined || (node.beingDeleted && !node.deletingDependents)) return;
    if (!node.deletingDependents && node.owners.length === 0) return;
    const object = await this.objects.read(node.identity);
    if (object === undefined) await this.forget(uid);
    else if (node.deletingDependents) await this.letGoOnceAlone(node);
    else await this.decide(node, object);
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
      await this.pause(); // without requests, the awaits below stay in one turn
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

  /** Waits for another turn of the event loop when the slice of this one is used up. */
  private async pause(): Promise<void> {
    if (this.yielder.isOver) await this.yielder.next();
  }

  /** @returns outOfReach: a cluster-scoped object cannot belong to a namespaced one, and is kept */
  private async ownerState(reference: OwnerReference, of: Identity): Promise<OwnerState | "outOfReach"> {
    const owner = await this.locate(identityOf(reference, of.namespace));
    if (owner === undefined) {
      this.tellOfInvalidOwner(reference, of, `${of.kind} has no namespace, and ${reference.kind} has one`);
      return "outOfReach";
    }
    this.tellOfDistantOwner(reference, of);
    const object = await this.readOwner(owner);
    if (object === undefined) return "absent";
    const { deletionTimestamp, finalizers = [] } = metaOf(object);
    return deletionTimestamp && finalizers.includes(FOREGROUND) ? "waiting" : "solid";
  }

  /**
   * Returns the identity under which the server would have the owner.
   * @returns undefined for a namespaced owner of a cluster-scoped dependent
   */
  private async locate(owner: Identity): Promise<Identity | undefined> {
    if (!(await this.objects.isNamespaced(owner))) return { ...owner, namespace: "" };
    return owner.namespace === "" ? undefined : owner;
  }

  private async readOwner(owner: Identity): Promise<JsonObject | undefined> {
    if (this.absent.has(owner)) return undefined;
    const object = await this.objects.read(owner);
    if (object === undefined) this.absent.add(owner);
    return object;
  }

  /** Records an event on a dependent whose owner is in another namespace and counts as absent. */
  private tellOfDistantOwner(reference: OwnerReference, of: Identity): void {
    const owner = this.graph.node(reference.uid ?? "");
    if (owner === undefined) return;
    const { namespace } = owner.identity;
    if (namespace === "" || namespace === of.namespace) return;
    this.tellOfInvalidOwner(reference, of, `it is in the namespace ${namespace}, not in ${of.namespace}`);
  }

  private tellOfInvalidOwner({ kind, name, uid }: OwnerReference, of: Identity, why: string): void {
    this.options.events.record({
      regarding: { ...of },
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      action: "CollectGarbage",
      note: `metadata.ownerReferences: ${kind} ${name} with uid ${uid} cannot be an owner of this object: ${why}`,
    });
  }

  /** Removes the references of all dependents, then the finalizer. Any failure restarts the work from the beginning. */
  private async orphan(uid: string): Promise<undefined> {
    const node = this.graph.node(uid);
    if (node === undefined) return;
    const queue = [...node.dependents].values();
    const worker = async (): Promise<void> => {
      for (const { identity } of queue) await this.objects.dropReferences(identity, [uid]);
    };
    await Promise.all(Array.from({ length: ORPHANED_AT_ONCE }, worker));
    await this.objects.removeFinalizer(node.identity, ORPHAN);
  }
}
