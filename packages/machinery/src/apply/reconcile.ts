// Adapts a field set to the current schema of its type, which may have changed since the set was stored. Source:
// sigs.k8s.io/structured-merge-diff, typed/reconcile_schema.go.
import { asMember, type FieldSet, inOrder, isLeaf, isMember, LEAF, MEMBER, type MutableFieldSet } from "./field-set";
import { type MergeShape, memberShape, type StructShape } from "./merge-shape";
import { fieldName } from "./path-element";

/**
 * Adapts a field set to a type. An owner of a part of a value that is now atomic owns the whole value; an owner of a
 * value that was atomic owns none of its parts. Paths to fields that no longer exist are dropped.
 * @param shape shape of the whole object
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

/** Returns the shape at an element, or undefined when the element does not fit the parent's shape. */
function childShape(shape: MergeShape, element: string): MergeShape | undefined {
  switch (shape.kind) {
    case "struct": {
      const name = fieldName(element);
      const child = name === undefined ? undefined : memberShape(shape, name);
      return child && tracked(child);
    }
    // A map accepts any key.
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
