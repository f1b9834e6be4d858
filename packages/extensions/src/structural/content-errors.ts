// Validation of a value against a compiled schema.
import type { FieldError } from "@orch/machinery";
import type { JsonValue, StructType } from "@orch/schema";
import type { CheckedNode } from "./checked-node";
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
}

export function contentErrors(
  root: CheckedNode,
  value: JsonValue,
  { front = "", metadata, old }: ContentQuestion,
): FieldErrors {
  const walk = new Walk(front, metadata, stepsFor(value));
  validateValue(root, value, walk);
  if (walk.repeated.length > 0 && !(old !== undefined && hasRepeated(root, old, metadata))) {
    for (const error of walk.repeated) walk.add(error);
  }
  return walk.allErrors;
}

function hasRepeated(root: CheckedNode, value: JsonValue, metadata: StructType): boolean {
  const walk = new Walk("", metadata, stepsFor(value));
  findRepeated(root, value, walk);
  return walk.repeated.length > 0;
}
