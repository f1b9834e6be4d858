// Sets of paths into an object: the fields that a manager owns or that a change touched. A set is a tree in the same
// form as in managedFields, so that reading and writing it costs nothing:
//
//   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
//
// holds `metadata.labels`, `metadata.labels.app` and `spec.replicas`. A node is a member of the set when it contains
// "." or has no children; `metadata` and `spec` above are not members. The root is never a member, and a set without
// members is `undefined`. Nodes are shared between sets and never modified.

import { compareElements, sortedElements } from "./element-order";
import { elementText, shortenedPath } from "./path-element";

/** Tree of path elements. Keys are "." and path elements (see path-element.ts), sorted (see element-order.ts). */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export type MutableFieldSet = Record<string, FieldSet>;

export const MEMBER = ".";

/** A member without children. */
export const LEAF: FieldSet = Object.freeze({});

export function isLeaf(node: FieldSet): boolean {
  for (const _ in node) return false;
  return true;
}

export const isMember = (node: FieldSet): boolean => node[MEMBER] !== undefined || isLeaf(node);

/** Returns the node as a member, with its children. */
export const asMember = (node: FieldSet | undefined): FieldSet => {
  if (node === undefined || isLeaf(node)) return LEAF;
  return node[MEMBER] !== undefined ? node : { [MEMBER]: LEAF, ...node };
};

/** Returns the node's children without the node's own membership, or undefined when nothing remains. */
export function belowOnly(node: FieldSet): FieldSet | undefined {
  const { [MEMBER]: member, ...children } = node;
  if (member === undefined) return isLeaf(node) ? undefined : node;
  return children;
}

/** Sorts the keys of a new node. */
export function inOrder(node: FieldSet): FieldSet {
  let last: string | undefined;
  for (const element in node) {
    if (last !== undefined && compareElements(last, element) >= 0) return sorted(node);
    last = element;
  }
  return node;
}

function sorted(node: FieldSet): FieldSet {
  const ordered: MutableFieldSet = {};
  for (const element of sortedElements(Object.keys(node))) ordered[element] = node[element] as FieldSet;
  return ordered;
}

/**
 * Returns the union of two sets.
 * @returns `one` itself when it contains all of `other`
 */
export function union(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return unionOfChildren(one, other);
}

/** Returns the union of two nodes below the root. */
function unionOfNodes(one: FieldSet, other: FieldSet): FieldSet {
  if (isLeaf(one)) return isLeaf(other) ? one : asMember(other);
  return isLeaf(other) ? asMember(one) : unionOfChildren(one, other);
}

function unionOfChildren(one: FieldSet, other: FieldSet): FieldSet {
  let result: MutableFieldSet | undefined;
  for (const element in other) {
    const mine = one[element];
    const theirs = other[element] as FieldSet;
    const both = mine === undefined || element === MEMBER ? (mine ?? theirs) : unionOfNodes(mine, theirs);
    if (both === mine) continue;
    result ??= copyOf(one);
    result[element] = both;
  }
  return result === undefined ? one : inOrder(result);
}

/**
 * Returns the union of all sets. Unites them in one pass, because pairwise unions of thousands of sets would copy each
 * set thousands of times.
 */
export function unionOfAll(sets: readonly (FieldSet | undefined)[]): FieldSet | undefined {
  const present = sets.filter((set) => set !== undefined);
  return present.length < 2 ? present[0] : childrenOfAll(present);
}

/**
 * Returns the union of all nodes below the root.
 * @param nodes at least one
 */
export function unionOfAllNodes(nodes: readonly FieldSet[]): FieldSet {
  const [first, second] = nodes as readonly [FieldSet, FieldSet?];
  if (second === undefined) return first;
  if (nodes.length === 2) return unionOfNodes(first, second);
  const children = childrenOfAll(nodes);
  return nodes.some(isMember) ? asMember(children) : children;
}

function childrenOfAll(nodes: readonly FieldSet[]): FieldSet {
  const found = new Map<string, FieldSet[]>();
  for (const node of nodes) {
    for (const element in node) {
      const others = found.get(element);
      if (others === undefined) found.set(element, [node[element] as FieldSet]);
      else if (element !== MEMBER) others.push(node[element] as FieldSet);
    }
  }
  const children: MutableFieldSet = {};
  for (const [element, same] of found) children[element] = unionOfAllNodes(same);
  return inOrder(children);
}

/**
 * Copies a node key by key: adding keys to a spread copy creates a new hidden class each time, which is thirty times
 * slower.
 */
function copyOf(node: FieldSet): MutableFieldSet {
  const copy: MutableFieldSet = {};
  for (const element in node) copy[element] = node[element] as FieldSet;
  return copy;
}

/**
 * Returns the members of `one` that are not in `other`.
 * @returns `one` itself when it has none of them
 */
export function difference(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  return one === undefined || other === undefined ? one : differenceOfNodes(one, other);
}

function differenceOfNodes(one: FieldSet, other: FieldSet): FieldSet | undefined {
  const staysMember = isMember(one) && !isMember(other);
  const children = changedChildren(one, (element, child) => {
    const theirs = other[element];
    return theirs === undefined ? child : differenceOfNodes(child, theirs);
  });
  if (children === one && staysMember === isMember(one)) return one;
  return withMembership(children, staysMember);
}

/**
 * Returns `one` without the members of `other` and everything below them.
 * @returns `one` itself when nothing is removed
 */
export function without(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  return one === undefined || other === undefined ? one : withoutBelow(one, other);
}

function withoutBelow(one: FieldSet, other: FieldSet): FieldSet | undefined {
  const children = changedChildren(one, (element, child) => {
    const theirs = other[element];
    if (theirs === undefined) return child;
    return isMember(theirs) ? undefined : withoutBelow(child, theirs);
  });
  return children === one ? one : withMembership(children, isMember(one));
}

/**
 * Returns the members of both sets.
 * @param one the smaller set: it is iterated, and its elements are looked up in the other
 */
export function intersection(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return undefined;
  const children: MutableFieldSet = {};
  for (const element in one) {
    const theirs = other[element];
    const both = theirs === undefined || element === MEMBER ? undefined : intersection(one[element], theirs);
    if (both !== undefined) children[element] = both;
  }
  return withMembership(children, isMember(one) && isMember(other));
}

/** Returns the members that have no members below them. */
export function leaves(set: FieldSet): FieldSet {
  if (isLeaf(set)) return set;
  const children: MutableFieldSet = {};
  for (const element in set) if (element !== MEMBER) children[element] = leaves(set[element] as FieldSet);
  return children;
}

/**
 * Renders members as written in messages, such as `.spec.containers[name="a"].image`. On each level the members come
 * first, then the paths below them.
 * @param max maximum number of paths
 */
export function pathTexts(set: FieldSet | undefined, max = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = [];
  if (set !== undefined) addPaths(found, set, { above: "", max });
  return found;
}

function addPaths(found: string[], set: FieldSet, { above, max }: { readonly above: string; readonly max: number }) {
  const leading: { readonly node: FieldSet; readonly text: string }[] = [];
  for (const element in set) {
    if (element === MEMBER) continue;
    if (found.length >= max) return;
    const node = set[element] as FieldSet;
    const text = shortenedPath(above + elementText(element));
    if (isMember(node)) found.push(text);
    if (!isLeaf(node)) leading.push({ node, text });
  }
  for (const { node, text } of leading) if (found.length < max) addPaths(found, node, { above: text, max });
}

export function memberCount(set: FieldSet): number {
  let count = 0;
  for (const element in set) {
    if (element === MEMBER) continue;
    const node = set[element] as FieldSet;
    count += (isMember(node) ? 1 : 0) + memberCount(node);
  }
  return count;
}

/**
 * Applies a change to each child.
 * @returns `node` itself when no child changes; otherwise the node with the changed children, whose own membership is
 * not adjusted
 */
function changedChildren(node: FieldSet, change: (element: string, child: FieldSet) => FieldSet | undefined): FieldSet {
  let result: MutableFieldSet | undefined;
  for (const element in node) {
    if (element === MEMBER) continue;
    const child = node[element] as FieldSet;
    const changed = change(element, child);
    if (changed === child) continue;
    result ??= { ...node };
    if (changed === undefined) delete result[element];
    else result[element] = changed;
  }
  return result ?? node;
}

function withMembership(node: FieldSet, member: boolean): FieldSet | undefined {
  const { [MEMBER]: _, ...children } = node;
  if (isLeaf(children)) return member ? LEAF : undefined;
  return member ? { [MEMBER]: LEAF, ...children } : children;
}
