// The ownership graph, built from watch events. It does no I/O: each change returns the work that it makes necessary.
// A change is a generator: an object may have tens of thousands of owners, and the caller may let the event loop run at
// each `yield`. Changes of different objects may be interleaved. Changes of one object must run one after the other.
//
// An owner that no watch has reported has no node. The references to it are kept as claims, one for each distinct
// description (apiVersion, kind, name, UID and the namespace of the dependents). References to one UID may disagree:
// each claim is looked up and settled on its own, so that a claim that cannot be looked up delays no other.
import { FOREGROUND, metaOf, ORPHAN, type OwnerReference } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Identity } from "../../framework/objects/identity";
import { identityText, matches } from "./owner-identity";

/** An object that a watch has reported. */
export interface GraphNode {
  readonly uid: string;
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  beingDeleted: boolean;
  /** Whether the object is deleted in the foreground: it is removed when its blocking dependents are gone. */
  deletingDependents: boolean;
}

/** One description of an owner that no watch has reported. */
export interface Claim {
  readonly identity: Identity;
  readonly dependents: Set<GraphNode>;
  /** Whether the server has no such object, or cannot have one. UIDs are never reused, so this is final. */
  settled: boolean;
  /** Number of lookups that found the object while no watch reported it. */
  sightings: number;
}

/** The work that a change makes necessary. */
export interface ToDo {
  /** UIDs of nodes to examine. */
  readonly examine: string[];
  /** Claims to look up, by the text of their identity. */
  readonly lookUp: string[];
  /** UIDs of owners whose dependents are to be orphaned. */
  readonly orphan: string[];
  /** Owners that are known to be gone and have dependents. */
  readonly absent: Identity[];
}

export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();
  /** Dependents of owners without a node, by the owner's uid. */
  private readonly awaiting = new Map<string, Set<GraphNode>>();
  private readonly claims = new Map<string, Claim>();

  /** Number of nodes, and of UIDs that occur only in references. */
  get size(): number {
    return this.nodes.size + this.awaiting.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  claim(text: string): Claim | undefined {
    return this.claims.get(text);
  }

  /** Records a new or changed object from a watch. */
  *observe(identity: Identity, object: JsonObject): GraphChange {
    const todo = emptyToDo();
    const metadata = metaOf(object);
    const node = this.nodes.get(identity.uid) ?? this.add(identity, todo);
    node.identity = identity;
    yield* this.replaceOwners(node, metadata.ownerReferences ?? [], todo);
    if (metadata.deletionTimestamp) observeDeletion(node, metadata.finalizers ?? [], todo);
    return todo;
  }

  /** Records that an object is gone: a watch has reported its deletion, or a lookup has not found it. */
  *forget(uid: string): GraphChange {
    const todo = emptyToDo();
    const node = this.nodes.get(uid);
    if (node === undefined) return todo;
    this.nodes.delete(uid);
    if (node.dependents.size > 0) todo.absent.push(node.identity);
    for (const dependent of node.dependents) todo.examine.push(dependent.uid);
    const { owners } = node;
    node.owners = [];
    for (const [index, reference] of owners.entries()) {
      if (isStop(index)) yield;
      const owner = reference.uid ?? "";
      if (this.nodes.get(owner)?.deletingDependents === true) todo.examine.push(owner);
      this.leave(node, reference, NONE);
    }
    return todo;
  }

  /** Records that a claim describes no object. Its present and future dependents are examined. */
  settle(claim: Claim): ToDo {
    const todo = emptyToDo();
    claim.settled = true;
    for (const { uid } of claim.dependents) todo.examine.push(uid);
    return todo;
  }

  /**
   * Returns the dependents that the owner has to wait for. An object that owns itself does not wait for itself. A
   * dependent in another namespace, or a cluster-scoped one of a namespaced owner, is not valid: it would never be
   * deleted because of the owner.
   */
  dependentsThatBlock(node: GraphNode): GraphNode[] {
    return [...node.dependents].filter(
      (dependent) =>
        dependent !== node &&
        inReach(node.identity, dependent.identity.namespace) &&
        dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
    );
  }

  /** Adds a node. Dependents that waited for it and describe it differently are examined. */
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

  private *replaceOwners(
    node: GraphNode,
    owners: readonly OwnerReference[],
    todo: ToDo,
  ): Generator<undefined, undefined> {
    const before = node.owners;
    if (before.length === 0 && owners.length === 0) return;
    node.owners = owners;
    const known = yield* described(before);
    const now = yield* described(owners);
    for (const [index, uid] of [...known.blocked].entries()) {
      if (isStop(index)) yield;
      if (!now.blocked.has(uid) && this.nodes.has(uid)) todo.examine.push(uid);
    }
    for (const [index, reference] of before.entries()) {
      if (isStop(index)) yield;
      if (!now.texts.has(referenceText(reference))) this.leave(node, reference, now.uids);
    }
    let doubtful = false;
    for (const [index, reference] of owners.entries()) {
      if (isStop(index)) yield;
      if (!known.texts.has(referenceText(reference))) doubtful = this.join(node, reference, todo) || doubtful;
    }
    if (doubtful) todo.examine.push(node.uid);
  }

  /**
   * Adds a reference.
   * @returns whether it may describe no object
   */
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

  /**
   * Removes a reference that the node no longer has.
   * @param named uids that other references of the node name
   */
  private leave(node: GraphNode, reference: OwnerReference, named: ReadonlySet<string>): void {
    const uid = reference.uid ?? "";
    const isStillNamed = named.has(uid);
    if (!isStillNamed) this.nodes.get(uid)?.dependents.delete(node);
    const awaiting = this.awaiting.get(uid);
    if (!isStillNamed) awaiting?.delete(node);
    if (awaiting?.size === 0) this.awaiting.delete(uid);
    // The claim may remain without an entry in `awaiting`: the owner was observed while this change was in progress.
    const text = claimText(reference, node);
    const claim = this.claims.get(text);
    claim?.dependents.delete(node);
    if (claim?.dependents.size === 0) this.claims.delete(text);
  }
}

/** A change in progress. */
export type GraphChange = Generator<undefined, ToDo>;

/** Number of references that are processed between two stops of a change. */
const REFERENCES_AT_ONCE = 100;

const isStop = (index: number): boolean => index % REFERENCES_AT_ONCE === REFERENCES_AT_ONCE - 1;

const NONE: ReadonlySet<string> = new Set();

const emptyToDo = (): ToDo => ({ examine: [], lookUp: [], orphan: [], absent: [] });

/** Returns the identity that a reference describes. An owner is cluster-scoped or in the namespace of its dependent. */
export function identityOf(reference: OwnerReference, namespace: string): Identity {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  return { apiVersion, kind, name, uid, namespace };
}

const claimText = (reference: OwnerReference, dependent: GraphNode): string =>
  identityText(identityOf(reference, dependent.identity.namespace));

const referenceText = (reference: OwnerReference): string => identityText(identityOf(reference, ""));

/** References of an object: each reference as text, the owners, and the owners that they block. */
interface Described {
  readonly texts: ReadonlySet<string>;
  readonly uids: ReadonlySet<string>;
  readonly blocked: ReadonlySet<string>;
}

function* described(references: readonly OwnerReference[]): Generator<undefined, Described> {
  const [texts, uids, blocked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const [index, reference] of references.entries()) {
    if (isStop(index)) yield;
    const { uid = "", blockOwnerDeletion } = reference;
    texts.add(referenceText(reference));
    uids.add(uid);
    if (blockOwnerDeletion === true) blocked.add(uid);
  }
  return { texts, uids, blocked };
}

/** Returns whether an object in this namespace, or a cluster-scoped one for "", may be a dependent of the owner. */
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
