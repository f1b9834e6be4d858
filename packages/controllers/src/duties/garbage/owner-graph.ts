// Who owns whom, as far as the watches have told. Pure: changes come in, and what must be looked at comes out.
// A node that only references speak of is virtual: nobody has seen that object yet, and it must be looked for at the server.
// Source: facts, controllers.md "garbagecollector".
import { FOREGROUND, metaOf, ORPHAN, type OwnerReference } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type Identity, matches, sameIdentity } from "./identity";

export interface GraphNode {
  readonly uid: string;
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<GraphNode>;
  /** No watch has shown the object; its identity is what a reference says. */
  virtual: boolean;
  beingDeleted: boolean;
  /** Deleted in the foreground: it goes when the dependents that block it have gone. */
  deletingDependents: boolean;
}

/** What a change makes necessary: uids to look at. */
export interface ToDo {
  readonly examine: string[];
  /** Owners whose dependents are to be left alone before they go. */
  readonly orphan: string[];
  /** Known to be gone, with dependents that may still name them. */
  readonly absent: Identity[];
}

export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();

  get size(): number {
    return this.nodes.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.nodes.get(uid);
  }

  /** An object was seen, new or changed. */
  observe(identity: Identity, object: JsonObject): ToDo {
    const todo = emptyToDo();
    const metadata = metaOf(object);
    const owners = metadata.ownerReferences ?? [];
    const known = this.nodes.get(identity.uid);
    const node = known ?? this.add(identity);
    if (known?.virtual === true) reveal(known, identity, todo);
    this.replaceOwners(node, owners, todo);
    if (metadata.deletionTimestamp) this.observeDeletion(node, metadata.finalizers ?? [], todo);
    return todo;
  }

  /** An object was seen to go. */
  forget(uid: string): ToDo {
    const todo = emptyToDo();
    const node = this.nodes.get(uid);
    if (node !== undefined) this.remove(node, node.identity, todo);
    return todo;
  }

  /** The server, asked for that very object, said that there is none. */
  confirmAbsent(identity: Identity): ToDo {
    const todo = emptyToDo();
    const node = this.nodes.get(identity.uid);
    if (node === undefined) return todo;
    const [agreeing, others] = partition(node, identity);
    if (node.virtual ? others.length === 0 : sameIdentity(node.identity, identity)) {
      this.remove(node, identity, todo);
      return todo;
    }
    if (agreeing.length > 0) {
      todo.absent.push(identity);
      for (const dependent of agreeing) todo.examine.push(dependent.uid);
    }
    if (node.virtual && sameIdentity(node.identity, identity)) {
      const next = alternative(others, identity);
      if (next !== undefined) node.identity = next;
      todo.examine.push(node.uid);
    }
    return todo;
  }

  /** Those whose references say that the owner must not go before them. One that owns itself need not wait for itself. */
  dependentsThatBlock(node: GraphNode): GraphNode[] {
    return [...node.dependents].filter(
      (dependent) =>
        dependent !== node &&
        dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true),
    );
  }

  private add(identity: Identity, virtual = false): GraphNode {
    const node: GraphNode = {
      uid: identity.uid,
      identity,
      owners: [],
      dependents: new Set(),
      virtual,
      beingDeleted: false,
      deletingDependents: false,
    };
    this.nodes.set(node.uid, node);
    return node;
  }

  private replaceOwners(node: GraphNode, owners: readonly OwnerReference[], todo: ToDo): void {
    const before = new Map(node.owners.map((reference) => [reference.uid, reference]));
    const after = new Map(owners.map((reference) => [reference.uid, reference]));
    node.owners = owners;
    for (const [uid, reference] of before) {
      const now = after.get(uid);
      if (reference.blockOwnerDeletion === true && now?.blockOwnerDeletion !== true && this.nodes.has(uid ?? "")) {
        todo.examine.push(uid ?? "");
      }
      if (now === undefined) this.leave(node, uid ?? "");
    }
    let doubtful = false;
    for (const [uid, reference] of after) {
      if (!before.has(uid)) doubtful = this.join(node, reference, todo) || doubtful;
    }
    if (doubtful) todo.examine.push(node.uid);
  }

  /** @returns whether the reference may be wrong about its owner */
  private join(node: GraphNode, reference: OwnerReference, todo: ToDo): boolean {
    const uid = reference.uid ?? "";
    const known = this.nodes.get(uid);
    const owner = known ?? this.add(identityOf(reference, node.identity.namespace), true);
    owner.dependents.add(node);
    if (known === undefined) {
      todo.examine.push(uid);
      return false;
    }
    const { identity } = known;
    if (identity.namespace !== "" && identity.namespace !== node.identity.namespace) return true;
    return !known.virtual && !matches(reference, identity);
  }

  private leave(node: GraphNode, ownerUid: string): void {
    const owner = this.nodes.get(ownerUid);
    if (owner === undefined) return;
    owner.dependents.delete(node);
    if (owner.virtual && owner.dependents.size === 0) this.nodes.delete(ownerUid); // nobody speaks of it any more
  }

  private observeDeletion(node: GraphNode, finalizers: readonly string[], todo: ToDo): void {
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

  private remove(node: GraphNode, identity: Identity, todo: ToDo): void {
    this.nodes.delete(node.uid);
    if (node.dependents.size > 0) todo.absent.push(identity);
    for (const dependent of node.dependents) todo.examine.push(dependent.uid);
    for (const { uid = "" } of node.owners) {
      if (this.nodes.get(uid)?.deletingDependents === true) todo.examine.push(uid);
      this.leave(node, uid);
    }
  }
}

const emptyToDo = (): ToDo => ({ examine: [], orphan: [], absent: [] });

/** What a dependent says its owner is; the owner is in the dependent's namespace, if in any. */
export function identityOf(reference: OwnerReference, namespace: string): Identity {
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  return { apiVersion, kind, name, uid, namespace };
}

/** A virtual node's object has shown itself: dependents that described it otherwise are looked at again. */
function reveal(node: GraphNode, identity: Identity, todo: ToDo): void {
  const [, others] = partition(node, identity);
  for (const dependent of others) todo.examine.push(dependent.uid);
  node.identity = identity;
  node.virtual = false;
}

/** Dependents that agree with an identity of their owner, and those that do not. */
function partition(owner: GraphNode, identity: Identity): [agreeing: GraphNode[], others: GraphNode[]] {
  const agreeing: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of owner.dependents) {
    const inReach = identity.namespace === "" || identity.namespace === dependent.identity.namespace;
    const agrees = inReach && dependent.owners.some((reference) => matches(reference, identity));
    (agrees ? agreeing : others).push(dependent);
  }
  return [agreeing, others];
}

/** The next thing that a uid may stand for: in a fixed order, after the one that was found wrong, round and round. */
function alternative(dependents: readonly GraphNode[], wrong: Identity): Identity | undefined {
  const sorted = dependents
    .flatMap((dependent) =>
      dependent.owners
        .filter(({ uid }) => uid === wrong.uid)
        .map((reference) => identityOf(reference, dependent.identity.namespace)),
    )
    .filter((identity) => !sameIdentity(identity, wrong))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return sorted.find((identity) => orderOf(identity) > orderOf(wrong)) ?? sorted[0];
}

const orderOf = ({ kind, apiVersion, namespace, name }: Identity): string =>
  JSON.stringify([kind, apiVersion, namespace, name]);
