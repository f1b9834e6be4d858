// What a schema finds wrong with a value, whoever asks.
import type { FieldError } from "@orch/machinery";
import type { JsonValue, StructType } from "@orch/schema";
import type { CheckedNode } from "./checked-node";
import { findRepeated, validateValue } from "./validator";
import { stepsFor, Walk } from "./walk";

/** In the order in which they were met. */
export type FieldErrors = readonly FieldError[];

export interface ContentQuestion {
  /** The value's path. Default: "", that of a whole object. */
  readonly front?: string;
  /** The type of metadata of resources within. */
  readonly metadata: StructType;
  /** What the value replaces: lists that held an item twice may go on doing so. */
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
