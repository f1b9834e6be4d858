// The ownership graph, built from watch events. It does no I/O: each change returns the work that it makes necessary.
//
// An owner that no watch has shown has no node. What references say of it is kept as claims, one for each distinct description
// (apiVersion, kind, name, uid and the namespace of the dependents). References to one uid may disagree: a claim is looked up at the
// server and settled on its own, so that a claim that cannot be looked up holds up no other.
import { FOREGROUND, metaOf, ORPHAN, type OwnerReference } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type Identity, identityText, matches } from "./identity";

/** An object that a watch has shown. */
export interface GraphNode {
  readonly uid: string;
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  beingDeleted: boolean;
  /** Deleted in the foreground: it goes when the dependents that block it have gone. */
  deletingDependents: boolean;
}

/** One description of an owner that no watch has shown. */
export interface Claim {
  readonly identity: Identity;
  readonly dependents: Set<GraphNode>;
  /** The server has no such object, or cannot have one. Uids are never used twice: this stays so. */
  settled: boolean;
  /** How often the object was found at the server and not in a watch. */
  sightings: number;
}

/** The work that a change makes necessary. */
export interface ToDo {
  /** Uids of nodes to examine. */
  readonly examine: string[];
  /** Claims to look up at the server, by the text of their identity. */
  readonly lookUp: string[];
  /** Uids of owners whose dependents are to be orphaned. */
  readonly orphan: string[];
  /** Owners that are known to be gone and have dependents. */
  readonly absent: Identity[];
}

export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();
  /** Dependents of owners without a node, by the owner's uid. */
  private readonly awaiting = new Map<string, Set<GraphNode>>();
  private readonly claims = new Map<string, Claim>();

  /** Number of nodes, and of uids that references name and no watch has shown. */
  get size(): number {
    return this.nodes.size + this.awaiting.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  claim(text: string): Claim | undefined {
    return this.claims.get(text);
  }

  /** Records an object that a watch has shown, new or changed. */
  observe(identity: Identity, object: JsonObject): ToDo {
    const todo = emptyToDo();
    const metadata = metaOf(object);
    const node = this.nodes.get(identity.uid) ?? this.add(identity, todo);
    node.identity = identity;
    this.replaceOwners(node, metadata.ownerReferences ?? [], todo);
    if (metadata.deletionTimestamp) observeDeletion(node, metadata.finalizers ?? [], todo);
    return todo;
  }

  /** Records that an object is gone: a watch has shown its deletion, or the server has none of its identity. */
  forget(uid: string): ToDo {
    const todo = emptyToDo();
    const node = this.nodes.get(uid);
    if (node === undefined) return todo;
    this.nodes.delete(uid);
    if (node.dependents.size > 0) todo.absent.push(node.identity);
    for (const dependent of node.dependents) todo.examine.push(dependent.uid);
    const { owners } = node;
    node.owners = [];
    for (const reference of owners) {
      const owner = reference.uid ?? "";
      if (this.nodes.get(owner)?.deletingDependents === true) todo.examine.push(owner);
      this.leave(node, reference);
    }
    return todo;
  }

  /** Records that a claim describes no object. Its dependents are examined, now and when more of them come. */
  settle(claim: Claim): ToDo {
    const todo = emptyToDo();
    claim.settled = true;
    for (const { uid } of claim.dependents) todo.examine.push(uid);
    return todo;
  }

  /**
   * Returns the dependents that the owner has to wait for. An object that owns itself does not wait for itself. A dependent of
   * another namespace, or of none, is no valid one: nothing would ever remove it for the owner's sake.
   */
  dependentsThatBlock(node: GraphNode): GraphNode[] {
    return [...node.dependents].filter(
      (dependent) =>
        dependent !== node &&
        inReach(node.identity, dependent.identity.namespace) &&
        dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
    );
  }

  /** Adds a node. Dependents that have awaited it and describe it otherwise are examined. */
  private add(identity: Identity, todo: ToDo): GraphNode {
    const { uid } = identity;
    const dependents = this.awaiting.get(uid) ?? new Set();
    this.awaiting.delete(uid);
    for (const dependent of dependents) {
      const references = dependent.owners.filter((reference) => reference.uid === uid);
      for (const reference of references) this.claims.delete(claimText(reference, dependent));
      if (!references.every((reference) => describes(reference, dependent, identity))) todo.examine.push(dependent.uid);
    }
    const node = { uid, identity, owners: [], dependents, beingDeleted: false, deletingDependents: false };
    this.nodes.set(uid, node);
    return node;
  }

  private replaceOwners(node: GraphNode, owners: readonly OwnerReference[], todo: ToDo): void {
    const before = node.owners;
    if (before.length === 0 && owners.length === 0) return;
    node.owners = owners;
    const stillBlocked = new Set(blocked(owners));
    for (const uid of blocked(before)) if (!stillBlocked.has(uid) && this.nodes.has(uid)) todo.examine.push(uid);
    const known = new Set(before.map(referenceText));
    const kept = new Set(owners.map(referenceText));
    for (const reference of before) if (!kept.has(referenceText(reference))) this.leave(node, reference);
    let doubtful = false;
    for (const reference of owners) {
      if (!known.has(referenceText(reference))) doubtful = this.join(node, reference, todo) || doubtful;
    }
    if (doubtful) todo.examine.push(node.uid);
  }

  /** @returns whether the reference may describe no object */
  private join(node: GraphNode, reference: OwnerReference, todo: ToDo): boolean {
    const uid = reference.uid ?? "";
    const owner = this.nodes.get(uid);
    if (owner !== undefined) {
      owner.dependents.add(node);
      return !describes(reference, node, owner.identity);
    }
    const dependents = this.awaiting.get(uid) ?? new Set();
    this.awaiting.set(uid, dependents.add(node));
    const text = claimText(reference, node);
    const claim = this.claims.get(text);
    if (claim !== undefined) {
      claim.dependents.add(node);
      return claim.settled;
    }
    const identity = identityOf(reference, node.identity.namespace);
    this.claims.set(text, { identity, dependents: new Set([node]), settled: false, sightings: 0 });
    todo.lookUp.push(text);
    return false;
  }

  /** Removes a reference that the node no longer has. */
  private leave(node: GraphNode, reference: OwnerReference): void {
    const uid = reference.uid ?? "";
    const isStillNamed = node.owners.some((other) => other.uid === uid);
    if (!isStillNamed) this.nodes.get(uid)?.dependents.delete(node);
    const awaiting = this.awaiting.get(uid);
    if (awaiting === undefined) return;
    if (!isStillNamed) awaiting.delete(node);
    if (awaiting.size === 0) this.awaiting.delete(uid);
    const text = claimText(reference, node);
    const claim = this.claims.get(text);
    claim?.dependents.delete(node);
    if (claim?.dependents.size === 0) this.claims.delete(text);
  }
}

const emptyToDo = (): ToDo => ({ examine: [], lookUp: [], orphan: [], absent: [] });

/** Returns what a reference describes; an owner is in the namespace of its dependent or in none. */
export function identityOf(reference: OwnerReference, namespace: string): Identity {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  return { apiVersion, kind, name, uid, namespace };
}

const claimText = (reference: OwnerReference, dependent: GraphNode): string =>
  identityText(identityOf(reference, dependent.identity.namespace));

const referenceText = (reference: OwnerReference): string => identityText(identityOf(reference, ""));

const blocked = (owners: readonly OwnerReference[]): string[] =>
  owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true).map(({ uid }) => uid ?? "");

/** Whether an object of this namespace, or of none, may be a dependent of the owner. */
const inReach = (owner: Identity, namespace: string): boolean =>
  owner.namespace === "" || owner.namespace === namespace;

const describes = (reference: OwnerReference, dependent: GraphNode, owner: Identity): boolean =>
  inReach(owner, dependent.identity.namespace) && matches(reference, owner);

function observeDeletion(node: GraphNode, finalizers: readonly string[], todo: ToDo): void {
  node.beingDeleted = true;
  if (finalizers.includes(ORPHAN)) {
    todo.orphan.push(node.uid);
    return;
  }
  if (!finalizers.includes(FOREGROUND) || node.deletingDependents) return;
  node.deletingDependents = true;
  for (const dependent of node.dependents) todo.examine.push(dependent.uid);
  todo.examine.push(node.uid);
}
