// Validation of a value against a compiled schema.
import type { FieldError } from "@orch/machinery";
import { isObject, type JsonValue, memberOf, type StructType } from "@orch/schema";
import type { CheckedNode } from "./checked-node";
import type { UnchangedValues } from "./unchanged-values";
import { findRepeated, validateValue } from "./validator";
import { stepsFor, Walk } from "./walk";

/** Errors in the order in which they were found. */
export type FieldErrors = readonly FieldError[];

export interface ContentQuestion {
  /** Path of the value. Default: "", the whole object. */
  readonly front?: string;
  /** Type of the metadata of embedded resources. */
  readonly metadata: StructType;
  /** The replaced value. Duplicate list items that it has are tolerated. */
  readonly old?: JsonValue | undefined;
  /** Set for an update whose unchanged values are exempt from the schema. */
  readonly unchanged?: UnchangedValues;
  /** Name of the only member to validate. Absent: the whole value. */
  readonly member?: string;
}

export function contentErrors(root: CheckedNode, value: JsonValue, question: ContentQuestion): FieldErrors {
  const { metadata, old, unchanged, member } = question;
  const { isOfDefaults } = root.site;
  let walk = walked(root, value, question, undefined);
  // Only an invalid object is compared with the old one.
  if (walk.errors.length > 0 && old !== undefined && unchanged !== undefined)
    walk = walked(root, value, question, unchanged);
  // An update of the status does not validate embedded resources.
  if (member === undefined) for (const error of walk.embedded) walk.add(error);
  if (isOfDefaults !== true && walk.repeated.length > 0 && !(old !== undefined && hasRepeated(root, old, metadata))) {
    for (const error of walk.repeated) walk.add(error);
  }
  return walk.allErrors;
}

function walked(
  root: CheckedNode,
  value: JsonValue,
  { front = "", metadata, old, member }: ContentQuestion,
  unchanged: UnchangedValues | undefined,
): Walk {
  const walk = new Walk(front, metadata, stepsFor(value), root.site.hasErrorKinds, unchanged);
  if (member === undefined) {
    validateValue(root, value, walk, unchanged && old);
    return walk;
  }
  const node = root.property(member);
  const part = isObject(value) ? memberOf<JsonValue>(value, member) : undefined;
  if (node === undefined || part === undefined) return walk;
  const before = unchanged !== undefined && isObject(old) ? memberOf<JsonValue>(old, member) : undefined;
  walk.enter(member);
  validateValue(node, part, walk, before);
  walk.leave();
  return walk;
}

function hasRepeated(root: CheckedNode, value: JsonValue, metadata: StructType): boolean {
  const walk = new Walk("", metadata, stepsFor(value), root.site.hasErrorKinds);
  findRepeated(root, value, walk);
  return walk.repeated.length > 0;
}
