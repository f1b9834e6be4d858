// Applies the value of a mutation expression to an object. Source: KEP-3962, "Mutating Admission Policies".
import { CelList, type CelValue, jsonOf, StructValue } from "@orch/expressions";
import { applyJsonPatch, copyJson, laidOver, readJsonPatch, type ServedVersion, StatusError } from "@orch/machinery";
import { DecodeError, isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { CompiledMutation } from "./policy-compilation";

/** Mutation that cannot be applied. The failure policy decides what follows. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/** Maximum size that the `copy` operations of one patch may add, as for clients' patches. */
const COPY_MAX_BYTES = 3 * 1024 * 1024;
/** The same on the thread of the event loop, where another thread exists. */
const COPY_BYTES_HERE = 16 * 1024;

/**
 * Applies a mutation.
 * @param object not modified
 * @param at.hasElsewhere whether another thread exists for mutations that copy much
 * @returns the new object, decoded and defaulted
 * @throws MutationError; ManyValuesError when the other thread must apply the mutation
 */
export function mutatedBy(
  kind: CompiledMutation["kind"],
  made: CelValue,
  object: JsonObject,
  at: { readonly version: ServedVersion; readonly hasElsewhere: boolean },
): JsonObject {
  const { version, hasElsewhere } = at;
  try {
    const result = kind === "JSONPatch" ? patched(object, made, hasElsewhere) : configured(object, made, version);
    return decoded(result, version);
  } catch (error) {
    if (error instanceof MutationError) throw error;
    if (error instanceof StatusError) {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new MutationError(`${TEXT[kind]}: ${why}`, { cause: error });
    }
    throw error;
  }
}

const TEXT = {
  JSONPatch: "error applying JSON Patch",
  ApplyConfiguration: "invalid ApplyConfiguration",
} as const;

function configured(object: JsonObject, made: CelValue, { type, apiVersion, kind }: ServedVersion): JsonObject {
  if (!(made instanceof StructValue)) throw new MutationError("the expression does not return an Object");
  const misnamed = misnamedPart(made, "Object");
  if (misnamed !== undefined) throw new MutationError(misnamed);
  const config = jsonOf(made, FREE);
  if (!isObject(config)) throw new MutationError("the expression does not return a JSON object");
  // A copy, because defaulting writes into the result and must not change the old object.
  return laidOver(type.struct, copyJson(object), { ...config, apiVersion, kind });
}

function patched(object: JsonObject, made: CelValue, hasElsewhere: boolean): JsonValue {
  if (!(made instanceof CelList)) throw new MutationError("the expression does not return a list of JSONPatch");
  const operations: JsonValue[] = [];
  for (let index = 0; index < made.size; index += 1) {
    const operation = made.at(index);
    const value = operation instanceof StructValue ? operation.fields.get("value") : undefined;
    const misnamed = value instanceof StructValue ? misnamedPart(value, value.typeName) : undefined;
    if (misnamed !== undefined) throw new MutationError(misnamed);
    const json = jsonOf(operation, FREE);
    if (json === undefined) throw new MutationError("the expression returns an invalid JSON patch operation");
    operations.push(json);
  }
  const copyBytesHere = hasElsewhere ? COPY_BYTES_HERE : undefined;
  return applyJsonPatch(object, readJsonPatch(operations), { copyMaxBytes: COPY_MAX_BYTES, copyBytesHere });
}

/** Conversion of a value is free: the expression has paid for building it. */
const FREE = { step() {} };

/** Checks that each part's type name matches its path. @returns the error of the first part that does not match */
function misnamedPart(value: CelValue, expected: string): string | undefined {
  if (value instanceof StructValue) {
    if (value.typeName !== expected)
      return `unexpected type name "${value.typeName}", expected "${expected}", which matches field name path from root Object type`;
    return firstOf(value.fields, ([name, below]) => misnamedPart(below, `${expected}.${name}`));
  }
  if (!(value instanceof CelList)) return undefined;
  for (let index = 0; index < value.size; index += 1) {
    const misnamed = misnamedPart(value.at(index), expected);
    if (misnamed !== undefined) return misnamed;
  }
  return undefined;
}

function firstOf<Item>(items: Iterable<Item>, find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function decoded(result: JsonValue, { type, kind, apiVersion }: ServedVersion): JsonObject {
  if (!isObject(result)) throw new MutationError(`the result of the mutation is not a valid ${kind}`);
  if (result["kind"] !== kind || result["apiVersion"] !== apiVersion)
    throw new MutationError("the mutation changes the object's kind or apiVersion");
  try {
    const { value } = type.decode(result);
    type.applyDefaults(value);
    return value;
  } catch (error) {
    if (error instanceof DecodeError)
      throw new MutationError(`the result of the mutation is not a valid ${kind}: ${error.message}`, { cause: error });
    throw error;
  }
}
