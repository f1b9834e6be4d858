// Sets of paths into an object: who owns what, what a change touched. A set is a tree in the very form in which managedFields
// carries it, so that reading and writing it costs nothing:
//
//   {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:replicas":{}}}
//
// holds `metadata.labels`, `metadata.labels.app` and `spec.replicas`. A node is a member of the set when it says so by "." or has no
// children; `metadata` and `spec` above are not. The root is never a member, and a set without members is `undefined`.
// Nodes are shared between sets and never changed.

import { compareElements, sortedElements } from "./element-order";
import { elementText } from "./path-element";
import { shortenedPath } from "./path-text";

/** Keys are "." and path elements (see path-element.ts), in their order (see element-order.ts). */
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

/** The node itself, and what is below it. */
export const asMember = (node: FieldSet | undefined): FieldSet => {
  if (node === undefined || isLeaf(node)) return LEAF;
  return node[MEMBER] !== undefined ? node : { [MEMBER]: LEAF, ...node };
};

/** What is below the node, without itself. */
export function belowOnly(node: FieldSet): FieldSet | undefined {
  const { [MEMBER]: member, ...children } = node;
  if (member === undefined) return isLeaf(node) ? undefined : node;
  return children;
}

/** Brings the keys of a new node into order. */
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

/** What either of two sets holds. @returns `one` itself when it holds all of `other` */
export function union(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return unionOfChildren(one, other);
}

/** What either of two nodes below the root holds. */
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

/** What any of the sets holds. At once, for two by two each of thousands would be copied thousands of times. */
export function unionOfAll(sets: readonly (FieldSet | undefined)[]): FieldSet | undefined {
  const present = sets.filter((set) => set !== undefined);
  return present.length < 2 ? present[0] : childrenOfAll(present);
}

/** What any of the nodes below the root holds. @param nodes at least one */
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

/** To be added to: whatever is added to a spread gets a hidden class of its own, which costs thirty times as much. */
function copyOf(node: FieldSet): MutableFieldSet {
  const copy: MutableFieldSet = {};
  for (const element in node) copy[element] = node[element] as FieldSet;
  return copy;
}

/** The members of `one` that are none of `other`. @returns `one` itself when it has none of them */
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

/** `one` without the members of `other` and everything below these. @returns `one` itself when it has none of that */
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

/** The members of both. @param one the smaller one: it is gone through, the other is looked into */
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

/** The members that have none below them. */
export function leaves(set: FieldSet): FieldSet {
  if (isLeaf(set)) return set;
  const children: MutableFieldSet = {};
  for (const element in set) if (element !== MEMBER) children[element] = leaves(set[element] as FieldSet);
  return children;
}

/**
 * Members as messages spell them, such as `.spec.containers[name="a"].image`: on each level members first, then what is below.
 * @param max how many, of those that there are
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

/** @returns `node` itself when no child changes; otherwise the children alone, without membership */
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
