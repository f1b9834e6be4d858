// Brings a field set, which may be older than the type, to what the type says now. Source: resource-api, server-side apply rule 9.
import { asMember, type FieldSet, inOrder, isLeaf, isMember, LEAF, MEMBER, type MutableFieldSet } from "./field-set";
import { type MergeShape, memberShape, type StructShape } from "./merge-shape";
import { fieldName } from "./path-element";

/**
 * Whoever owns a part of what is now replaced as a whole owns the whole; whoever owns a whole that is now made of parts owns none of
 * them. Paths to fields that are no more are dropped.
 * @param shape of the whole object
 * @returns `set` itself when it fits already
 */
export function reconcile(shape: StructShape, set: FieldSet | undefined): FieldSet | undefined {
  const fitting = set && reconcileChildren(set, (element) => childShape(shape, element));
  return fitting === undefined || isLeaf(fitting) ? undefined : fitting;
}

function reconcileNode(shape: MergeShape, node: FieldSet): FieldSet | undefined {
  if (shape.kind === "leaf") return isLeaf(node) ? node : LEAF;
  if (shape.kind === "deduced" || isLeaf(node)) return node;
  const fitting = reconcileChildren(node, (element) => childShape(shape, element));
  if (fitting === node || !isLeaf(fitting)) return fitting;
  return isMember(node) ? LEAF : undefined;
}

function reconcileChildren(node: FieldSet, shapeOf: (element: string) => MergeShape | undefined): FieldSet {
  let result: MutableFieldSet | undefined;
  for (const element in node) {
    if (element === MEMBER) continue;
    const child = node[element] as FieldSet;
    const shape = shapeOf(element);
    const fitting = shape === undefined ? undefined : reconcileNode(shape, child);
    if (fitting === child) continue;
    result ??= { ...node };
    if (fitting === undefined) delete result[element];
    else result[element] = fitting;
  }
  if (result === undefined) return node;
  const { [MEMBER]: member, ...children } = result;
  return member === undefined || isLeaf(children) ? inOrder(children) : asMember(inOrder(children));
}

/** Undefined for an element that leads nowhere in a value of this shape. */
function childShape(shape: MergeShape, element: string): MergeShape | undefined {
  switch (shape.kind) {
    case "struct": {
      const name = fieldName(element);
      const child = name === undefined ? undefined : memberShape(shape, name);
      return child && tracked(child);
    }
    // Whatever the names of its keys are.
    case "map":
      return element.startsWith("f:") ? tracked(shape.value) : undefined;
    case "items":
      return element.startsWith("k:") ? shape.item : undefined;
    case "set":
      return element.startsWith("v:") ? { kind: "leaf" } : undefined;
    default:
      return undefined;
  }
}

const tracked = (shape: MergeShape): MergeShape | undefined => (shape.kind === "untracked" ? undefined : shape);
