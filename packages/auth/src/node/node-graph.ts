// Objects related to each node, which its kubelet may read. Instead of edges that a decision would have to follow, each
// object holds the number of paths from it to each node. A decision is then one lookup, and a change updates only its
// own paths:
//   secret, config map, claim, service account -> pod -> node
//   volume -> claim -> pod -> node,   secret -> volume -> claim -> pod -> node
//   resource claim -> pod -> node,   pod -> node,   config map -> node that is configured by it
//   attachment, resource slice, pod certificate request -> node
// Source: plugin/pkg/auth/authorizer/node/graph.go.

export type NodeObjectKind =
  | "secret"
  | "configmap"
  | "persistentvolumeclaim"
  | "persistentvolume"
  | "serviceaccount"
  | "volumeattachment"
  | "resourceclaim"
  | "resourceslice"
  | "podcertificaterequest"
  | "pod";

/** An object of the graph; created by `objectKey`. */
export type ObjectKey = string;

export function objectKey(kind: NodeObjectKind, namespace: string, name: string): ObjectKey {
  return `${kind} ${namespace}/${name}`;
}

export const objectKeyKind = (key: ObjectKey): NodeObjectKind => key.slice(0, key.indexOf(" ")) as NodeObjectKind;

export interface GraphVolume {
  readonly claim: ObjectKey;
  readonly secrets: readonly ObjectKey[];
}

/** Number of paths added or removed per step. */
const WAYS_A_STEP = 500;

class Vertex {
  /** Node and count of a vertex with paths to one node only. Most vertices need no map. */
  private node = "";
  private count = 0;
  private byNode: Map<string, number> | undefined;
  /** Volumes bound to a claim. */
  volumes: Set<Volume> | undefined;
  /** Number of volumes that refer to this vertex. It is kept for them even when no path leads to a node. */
  held = 0;

  constructor(readonly key: ObjectKey) {}

  get isUnused(): boolean {
    return this.count === 0 && this.held === 0 && (this.byNode?.size ?? 0) === 0;
  }

  reaches(node: string): boolean {
    return this.byNode === undefined ? this.count > 0 && this.node === node : this.byNode.has(node);
  }

  /** Returns the number of paths by node. */
  ways(): Iterable<readonly [string, number]> {
    if (this.byNode !== undefined) return this.byNode;
    return this.count === 0 ? [] : [[this.node, this.count]];
  }

  /** @param count number of paths to add; negative to remove */
  add(node: string, count: number): void {
    if (this.byNode === undefined && (this.count === 0 || this.node === node)) {
      this.node = node;
      this.count = Math.max(0, this.count + count);
      return;
    }
    if (this.byNode === undefined) {
      this.byNode = new Map([[this.node, this.count]]);
      this.count = 0;
    }
    const ways = (this.byNode.get(node) ?? 0) + count;
    if (ways > 0) this.byNode.set(node, ways);
    else this.byNode.delete(node);
  }
}

interface Pod {
  readonly node: string;
  readonly targets: readonly Vertex[];
}

interface Volume {
  readonly claim: Vertex;
  /** The volume itself and its secrets. */
  readonly targets: readonly Vertex[];
}

/**
 * The graph. Changes are generators: other work may run between two steps. A relation that exists before and after a
 * change exists during it.
 */
export class NodeGraph {
  private readonly vertices = new Map<ObjectKey, Vertex>();
  private readonly pods = new Map<string, Pod>();
  private readonly volumes = new Map<string, Volume>();
  /** Nodes of attachments, slices and certificate requests. */
  private readonly placed = new Map<ObjectKey, string>();
  /** Last known configuration by node. */
  private readonly nodeConfigs = new Map<string, ObjectKey>();

  reaches(key: ObjectKey, node: string): boolean {
    return this.vertices.get(key)?.reaches(node) ?? false;
  }

  /** @param path path of the pod */
  *setPod(path: string, node: string, references: ReadonlySet<ObjectKey>): Generator<void> {
    const before = this.pods.get(path);
    const targets: Vertex[] = [];
    let steps = 0;
    for (const key of references) {
      const target = this.vertex(key);
      targets.push(target);
      this.addUse(target, node, 1);
      steps += 1;
      if (steps % WAYS_A_STEP === 0) yield;
    }
    this.pods.set(path, { node, targets });
    if (before !== undefined) yield* this.forget(before);
  }

  *removePod(path: string): Generator<void> {
    const pod = this.pods.get(path);
    this.pods.delete(path);
    if (pod !== undefined) yield* this.forget(pod);
  }

  private *forget({ node, targets }: Pod): Generator<void> {
    let steps = 0;
    for (const target of targets) {
      this.addUse(target, node, -1);
      steps += 1;
      if (steps % WAYS_A_STEP === 0) yield;
    }
  }

  /** Adds a pod's use of an object. The use of a claim also adds paths to its volumes. */
  private addUse(target: Vertex, node: string, count: number): void {
    for (const volume of target.volumes ?? []) this.addWays(volume.targets, node, count);
    this.addWays([target], node, count);
  }

  setVolume(name: string, volume: GraphVolume | undefined): void {
    const before = this.volumes.get(name);
    if (volume === undefined) this.volumes.delete(name);
    else {
      const claim = this.vertex(volume.claim);
      const targets = [objectKey("persistentvolume", "", name), ...volume.secrets].map((key) => this.vertex(key));
      const made = { claim, targets };
      claim.volumes ??= new Set();
      claim.volumes.add(made);
      for (const vertex of [claim, ...targets]) vertex.held += 1;
      this.volumes.set(name, made);
      for (const [node, count] of claim.ways()) this.addWays(targets, node, count);
    }
    if (before === undefined) return;
    const { claim, targets } = before;
    claim.volumes?.delete(before);
    if (claim.volumes?.size === 0) claim.volumes = undefined;
    for (const [node, count] of claim.ways()) this.addWays(targets, node, -count);
    for (const vertex of [claim, ...targets]) {
      vertex.held -= 1;
      this.dropUnused(vertex);
    }
  }

  /** @param node "" when the attachment is gone */
  setAttachment(name: string, node: string): void {
    this.setNodeOf(objectKey("volumeattachment", "", name), node);
  }

  /** @param node node that has the devices of the slice; "" when the slice is gone or belongs to no single node */
  setSlice(name: string, node: string): void {
    this.setNodeOf(objectKey("resourceslice", "", name), node);
  }

  /** @param path `<namespace>/<name>` @param node "" when the request is gone */
  setCertificateRequest(path: string, node: string): void {
    const [namespace = "", name = ""] = path.split("/");
    this.setNodeOf(objectKey("podcertificaterequest", namespace, name), node);
  }

  private setNodeOf(key: ObjectKey, node: string): void {
    const before = this.placed.get(key) ?? "";
    if (before === node) return;
    if (node === "") this.placed.delete(key);
    else {
      this.placed.set(key, node);
      this.addWays([this.vertex(key)], node, 1);
    }
    if (before !== "") this.addWays([this.vertex(key)], before, -1);
  }

  /** @param key config map that configures the node's kubelet; undefined for none */
  setNodeConfig(node: string, key: ObjectKey | undefined): void {
    const before = this.nodeConfigs.get(node);
    if (before === key) return;
    if (key === undefined) this.nodeConfigs.delete(node);
    else {
      this.nodeConfigs.set(node, key);
      this.addWays([this.vertex(key)], node, 1);
    }
    if (before !== undefined) this.addWays([this.vertex(before)], node, -1);
  }

  /** Number of objects in the graph. */
  get size(): number {
    return this.vertices.size;
  }

  private addWays(targets: readonly Vertex[], node: string, count: number): void {
    for (const target of targets) {
      target.add(node, count);
      if (count < 0) this.dropUnused(target);
    }
  }

  private vertex(key: ObjectKey): Vertex {
    let vertex = this.vertices.get(key);
    if (vertex === undefined) {
      vertex = new Vertex(key);
      this.vertices.set(key, vertex);
    }
    return vertex;
  }

  private dropUnused(vertex: Vertex): void {
    if (vertex.isUnused) this.vertices.delete(vertex.key);
  }
}
