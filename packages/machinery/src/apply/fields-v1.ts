// Field sets as they come from outside. Writing needs no code: a field set is its own JSON. Source: facts, ssa.md "Path elements".
import { isObject, type JsonValue } from "@orch/schema";
import { belowOnly, type FieldSet, inOrder, isLeaf, LEAF, MEMBER, type MutableFieldSet } from "./field-set";
import { canonicalElement } from "./path-element";

/** unknownElements: kinds of path elements that this release does not know are dropped (default), or refused. */
export interface FieldSetReading {
  readonly unknownElements?: "dropped" | "refused";
}

/**
 * @param fields the parsed `fieldsV1` of an entry; it becomes the set where it is in canonical form already
 * @returns undefined for an empty set
 * @throws SyntaxError for what is no field set
 */
export function readFieldsV1(fields: JsonValue | undefined, how: FieldSetReading = {}): FieldSet | undefined {
  if (fields === undefined || fields === null) return undefined;
  // The root is never a member.
  const set = belowOnly(readNode(fields, how));
  return set === undefined || isLeaf(set) ? undefined : set;
}

function readNode(node: JsonValue, how: FieldSetReading): FieldSet {
  if (!isObject(node)) throw new SyntaxError("a field set is an object");
  let changed: MutableFieldSet | undefined;
  for (const text in node) {
    const child = node[text] as JsonValue;
    const element = text === MEMBER ? text : canonicalElement(text);
    if (element === undefined && how.unknownElements === "refused")
      throw new SyntaxError(`${JSON.stringify(text)} is a path element of an unknown kind`);
    const below = text === MEMBER ? leafOf(child) : readNode(child, how);
    if (changed === undefined && element === text && below === child) continue;
    changed ??= before(node as unknown as FieldSet, text);
    if (element !== undefined) changed[element] = below;
  }
  return inOrder(changed ?? (node as unknown as FieldSet));
}

/** What "." holds says nothing; anything but an empty object is replaced. */
const leafOf = (child: JsonValue): FieldSet =>
  isObject(child) && isLeaf(child as unknown as FieldSet) ? (child as unknown as FieldSet) : LEAF;

/** The members that stand in front of one of them. */
function before(node: FieldSet, text: string): MutableFieldSet {
  const result: MutableFieldSet = {};
  for (const element in node) {
    if (element === text) break;
    result[element] = node[element] as FieldSet;
  }
  return result;
}
