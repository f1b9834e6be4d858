// Field sets as they come from outside. Writing needs no code: a field set is its own JSON. Source: facts, ssa.md "Path elements".
import { isObject, type JsonValue } from "@orch/schema";
import { type FieldSet, inOrder, isLeaf, LEAF, MEMBER, type MutableFieldSet } from "./field-set";
import { canonicalElement } from "./path-element";

/**
 * @param fields the parsed `fieldsV1` of an entry; it becomes the set where it is in canonical form already
 * @returns undefined for an empty set
 * @throws SyntaxError for what is no field set
 */
export function readFieldsV1(fields: JsonValue | undefined): FieldSet | undefined {
  if (fields === undefined || fields === null) return undefined;
  const set = readNode(fields);
  return isLeaf(set) ? undefined : set;
}

function readNode(node: JsonValue): FieldSet {
  if (!isObject(node)) throw new SyntaxError("a field set is an object");
  let changed: MutableFieldSet | undefined;
  for (const text in node) {
    const child = node[text] as JsonValue;
    const element = text === MEMBER ? text : canonicalElement(text);
    const below = text === MEMBER ? LEAF : readNode(child);
    if (changed === undefined && element === text && (below === child || element === MEMBER)) continue;
    changed ??= before(node as unknown as FieldSet, text);
    if (element !== undefined) changed[element] = below;
  }
  return inOrder(changed ?? (node as unknown as FieldSet));
}

/** The members that stand in front of one of them. */
function before(node: FieldSet, text: string): MutableFieldSet {
  const result: MutableFieldSet = {};
  for (const element in node) {
    if (element === text) break;
    result[element] = node[element] as FieldSet;
  }
  return result;
}
