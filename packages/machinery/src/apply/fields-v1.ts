// Parses field sets received from clients. Serializing needs no code, because a field set is its own JSON. Source: the
// FieldsV1 type in staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { isObject, type JsonValue } from "@orch/schema";
import { belowOnly, type FieldSet, inOrder, isLeaf, LEAF, MEMBER, type MutableFieldSet } from "./field-set";
import { canonicalElement } from "./path-element";

/** Options of parsing. unknownElements: path elements of unknown kinds are dropped (default) or refused. */
export interface FieldSetReading {
  readonly unknownElements?: "dropped" | "refused";
}

/**
 * Parses the `fieldsV1` of an entry.
 * @param fields the parsed value; it is returned itself when it is in canonical form
 * @returns undefined for an empty set
 * @throws SyntaxError for a value that is not a field set
 */
export function readFieldsV1(fields: JsonValue | undefined, how: FieldSetReading = {}): FieldSet | undefined {
  if (fields === undefined || fields === null) return undefined;
  // The root is never a member.
  const set = belowOnly(readNode(fields, how));
  return set === undefined || isLeaf(set) ? undefined : set;
}

function readNode(node: JsonValue, how: FieldSetReading): FieldSet {
  if (!isObject(node)) throw new SyntaxError("a field set must be an object");
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

/** Returns the value of ".", which carries no information: anything other than an empty object is replaced by LEAF. */
const leafOf = (child: JsonValue): FieldSet =>
  isObject(child) && isLeaf(child as unknown as FieldSet) ? (child as unknown as FieldSet) : LEAF;

/** Returns the members of the node that precede `text`. */
function before(node: FieldSet, text: string): MutableFieldSet {
  const result: MutableFieldSet = {};
  for (const element in node) {
    if (element === text) break;
    result[element] = node[element] as FieldSet;
  }
  return result;
}
