// Keeps the graph of the Node authorizer up to date from the watch cache. Source:
// plugin/pkg/auth/authorizer/node/graph_populator.go.
import { attachedNode, NodeGraph, nodeConfigOf, objectKey, requestingNode, sliceNode, volumeOf } from "@orch/auth";
import type { ServerMetrics } from "@orch/observability";
import { type Log, pause, systemClock } from "@orch/platform";
import { type Entry, type EventLoopYielder, ResourceInformer, type ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import { namesMadeClaims, referencesOf } from "./pod-parts";

interface GraphStorages {
  readonly pods: ResourceStorage;
  readonly nodes: ResourceStorage;
  readonly persistentVolumes: ResourceStorage;
  /** Undefined in releases without the resource. */
  readonly attachments: ResourceStorage | undefined;
  readonly slices: ResourceStorage | undefined;
  readonly certificateRequests: ResourceStorage | undefined;
}

export interface GraphInformersParts {
  readonly storages: GraphStorages;
  readonly vocabulary: Vocabulary;
  readonly loop: EventLoopYielder;
  readonly log: Log;
  readonly metrics: ServerMetrics;
  /** Features that change which objects pods and nodes refer to. */
  readonly features: GraphFeatures;
}

interface GraphFeatures {
  /** Whether volumes of pods may create claims (generic ephemeral volumes). */
  readonly ephemeralClaims: boolean;
  /** Whether containers can be added to a running pod. */
  readonly ephemeralContainers: boolean;
  /** Whether nodes may be configured by config maps. */
  readonly nodeConfigs: boolean;
}

/** Maximum wait to catch up, longer than a kubelet would wait. After it the decision uses the events handled so far. */
const CATCH_UP_MS = 5000;
const EPHEMERAL_CONTAINERS = Buffer.from('"ephemeralContainers":[{');

interface SeenPod {
  readonly uid: unknown;
  readonly node: string;
}

export class GraphInformers {
  readonly graph = new NodeGraph();
  private readonly informers: readonly ResourceInformer[];
  private readonly seen = new Map<string, SeenPod>();
  private started = false;

  constructor(private readonly parts: GraphInformersParts) {
    const { storages, loop, log, features } = parts;
    const informer = (
      storage: ResourceStorage,
      changed: (entry: Entry) => void | Iterable<void>,
      removed: (path: string) => void | Iterable<void>,
    ) =>
      new ResourceInformer({
        ...{ storage, loop, log, changed },
        pause: (ms) => pause(systemClock, ms),
        removed: ({ path }) => removed(path),
      });
    const { graph } = this;
    const { pods, nodes, persistentVolumes, attachments, slices, certificateRequests } = storages;
    this.informers = [
      informer(
        pods,
        (entry) => this.podChanged(entry),
        (path) => this.podRemoved(path),
      ),
      informer(
        persistentVolumes,
        (entry) => this.timed("AddPV", () => graph.setVolume(entry.name, volumeOf(entry.whole()))),
        (name) => this.timed("DeletePV", () => graph.setVolume(name, undefined)),
      ),
      ...(attachments === undefined
        ? []
        : [
            informer(
              attachments,
              (entry) =>
                this.timed("AddVolumeAttachment", () => graph.setAttachment(entry.name, attachedNode(entry.whole()))),
              (name) => this.timed("DeleteVolumeAttachment", () => graph.setAttachment(name, "")),
            ),
          ]),
      ...(slices === undefined
        ? []
        : [
            informer(
              slices,
              (entry) => this.timed("AddResourceSlice", () => graph.setSlice(entry.name, sliceNode(entry.whole()))),
              (name) => this.timed("DeleteResourceSlice", () => graph.setSlice(name, "")),
            ),
          ]),
      ...(certificateRequests === undefined
        ? []
        : [
            informer(
              certificateRequests,
              (entry) =>
                this.timed("AddPodCertificateRequest", () =>
                  graph.setCertificateRequest(entry.path, requestingNode(entry.whole())),
                ),
              (path) => this.timed("DeletePodCertificateRequest", () => graph.setCertificateRequest(path, "")),
            ),
          ]),
      ...(features.nodeConfigs
        ? [
            informer(
              nodes,
              (entry) =>
                this.timed("SetNodeConfigMap", () => graph.setNodeConfig(entry.name, nodeConfigOf(entry.whole()))),
              (name) => this.timed("SetNodeConfigMap", () => graph.setNodeConfig(name, undefined)),
            ),
          ]
        : []),
    ];
  }

  /** Resolves once the graph reflects the cache. */
  async start(): Promise<void> {
    for (const informer of this.informers) await informer.start();
    this.started = true;
  }

  close(): void {
    for (const informer of this.informers) informer.close();
  }

  /** See NodeAuthorizerDeps. */
  caughtUp(): void | Promise<void> {
    if (!this.started) return;
    const late = this.informers.flatMap((informer) => informer.caughtUp() ?? []);
    if (late.length > 0) return Promise.race([Promise.all(late), pause(systemClock, CATCH_UP_MS)]).then(() => {});
  }

  private *podChanged(entry: Entry): Generator<void> {
    const { path, namespace, name } = entry;
    // Each field access takes some milliseconds for a large pod.
    const node = entry.field("spec.nodeName");
    yield;
    const before = this.seen.get(path);
    if (node === "") {
      if (before !== undefined) yield* this.podRemoved(path);
      return;
    }
    const { ephemeralClaims, ephemeralContainers } = this.parts.features;
    const uid = entry.metadata("uid");
    yield;
    if (before !== undefined && before.uid === uid && before.node === node) {
      // The references of a pod do not change, except for ephemeral containers and the claims in its status.
      const stored = entry.stored();
      if (!(ephemeralContainers && stored.includes(EPHEMERAL_CONTAINERS)) && !namesMadeClaims(stored)) return;
      yield;
    }
    this.seen.set(path, { uid, node });
    // A mirror pod is created by the kubelet that runs it, which needs no access to its references.
    const isMirror = this.isMirror(entry);
    yield;
    const references = new Set(isMirror ? [] : yield* referencesOf(entry, { namespace, name, ephemeralClaims }));
    references.add(objectKey("pod", namespace, name));
    yield* this.timedSteps("AddPod", this.graph.setPod(path, node, references));
  }

  private *podRemoved(path: string): Generator<void> {
    this.seen.delete(path);
    yield* this.timedSteps("DeletePod", this.graph.removePod(path));
  }

  private isMirror(entry: Entry): boolean {
    const annotations = entry.metadata("annotations");
    const { configMirror } = this.parts.vocabulary.annotations;
    return typeof annotations === "object" && annotations !== null && Object.hasOwn(annotations, configMirror);
  }

  private timed(operation: string, act: () => void): void {
    const sinceMs = performance.now();
    act();
    this.observe(operation, performance.now() - sinceMs);
  }

  /** Measures the steps without the work that runs between them. */
  private *timedSteps(operation: string, steps: Iterator<void>): Generator<void> {
    for (let ownMs = 0; ; ) {
      const sinceMs = performance.now();
      const isDone = steps.next().done === true;
      ownMs += performance.now() - sinceMs;
      if (isDone) return this.observe(operation, ownMs);
      yield;
    }
  }

  private observe(operation: string, ms: number): void {
    this.parts.metrics
      .histogram("node_authorizer_graph_actions_duration_seconds")
      .labels({ operation })
      .observe(ms / 1000);
  }
}
