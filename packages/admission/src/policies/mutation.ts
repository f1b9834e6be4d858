// Applies the value of a mutation expression to an object. Source: KEP-3962, "Mutating Admission Policies".
import {
  CelList,
  type CelValue,
  configurationOf,
  patchValueOf,
  StructValue,
  UnsupportedValue,
} from "@orch/expressions";
import {
  applyJsonPatch,
  copyJson,
  FailedPatchTest,
  internalError,
  laidOver,
  readJsonPatch,
  type ServedVersion,
  StatusError,
} from "@orch/machinery";
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

export interface MutatedObject {
  readonly version: ServedVersion;
  /** Whether the object is a custom resource, whose unknown fields are pruned instead of refused. */
  readonly isCustom: boolean;
  /** Whether another thread exists for mutations that copy much. */
  readonly hasElsewhere: boolean;
}

/**
 * Applies a mutation.
 * @param object not modified
 * @returns the new object, decoded and defaulted; `object` itself when a `test` operation found another value
 * @throws MutationError; StatusError InternalError (500) when a JSON patch makes an object that cannot be read;
 * ManyValuesError when the other thread must apply the mutation
 */
export function mutatedBy(
  kind: CompiledMutation["kind"],
  made: CelValue,
  object: JsonObject,
  of: MutatedObject,
): JsonObject {
  if (kind === "ApplyConfiguration") return configured(object, made, of.version);
  const operations = operationsOf(made);
  try {
    const copyBytesHere = of.hasElsewhere ? COPY_BYTES_HERE : undefined;
    return patchedObject(
      applyJsonPatch(object, readJsonPatch(operations), { copyMaxBytes: COPY_MAX_BYTES, copyBytesHere }),
      of,
    );
  } catch (error) {
    if (!(error instanceof StatusError) || error.code >= 500) throw error;
    if (error.cause instanceof FailedPatchTest) return object;
    throw new MutationError(`JSON Patch: ${textOf(error)}`, { cause: error });
  }
}

const textOf = (error: StatusError): string => (error.cause instanceof Error ? error.cause.message : error.message);

const MISTYPED = "failed to create typed patch object";

function configured(object: JsonObject, made: CelValue, { type, apiVersion, kind }: ServedVersion): JsonObject {
  if (!(made instanceof StructValue)) throw new MutationError("the expression does not return an Object");
  const misnamed = misnamedPart(made, "Object");
  if (misnamed !== undefined) throw new MutationError(`type mismatch: ${misnamed}`);
  try {
    // A copy, because defaulting writes into the result and must not change the old object.
    const { value } = type.decode(
      laidOver(type.struct, copyJson(object), { ...configurationOf(made), apiVersion, kind }),
    );
    type.applyDefaults(value);
    return value;
  } catch (error) {
    throw error instanceof Error ? (unapplied(error, kind) ?? error) : error;
  }
}

function unapplied(error: Error, kind: string): MutationError | undefined {
  const fails = (why: string) => new MutationError(`error applying patch: ${why}`, { cause: error });
  if (error instanceof UnsupportedValue)
    return fails(`failed to convert patch object to typed object: ${error.message}`);
  if (error instanceof DecodeError) return fails(`the result is not a valid ${kind}: ${error.message}`);
  if (!(error instanceof StatusError)) return undefined;
  const why = textOf(error);
  return why.startsWith(MISTYPED)
    ? fails(`failed to convert patch object to typed object${why.slice(MISTYPED.length)}`)
    : fails(`invalid ApplyConfiguration: ${why}`);
}

function operationsOf(made: CelValue): JsonValue[] {
  if (!(made instanceof CelList)) throw new MutationError("the expression does not return a list of JSONPatch");
  return Array.from({ length: made.size }, (_, index) => operationOf(made.at(index)));
}

/** Returns an operation whose absent members are empty, and whose absent value is null. */
function operationOf(operation: CelValue): JsonValue {
  if (!(operation instanceof StructValue) || operation.typeName !== "JSONPatch")
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
  const { fields } = operation;
  const value = fields.get("value");
  const misnamed = value instanceof StructValue ? misnamedPart(value, value.typeName) : undefined;
  if (misnamed !== undefined) throw new MutationError(`type mismatch: ${misnamed}`);
  const text = (name: string): string => {
    const given = fields.get(name);
    return typeof given === "string" ? given : "";
  };
  // An empty path would replace the whole object.
  if (text("path") === "") throw new MutationError("JSON Patch: an operation has no path");
  try {
    return {
      op: text("op"),
      path: text("path"),
      ...(fields.has("from") && { from: text("from") }),
      value: value === undefined ? null : patchValueOf(value),
    };
  } catch (error) {
    if (!(error instanceof UnsupportedValue)) throw error;
    const why = `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`;
    throw new MutationError(why, { cause: error });
  }
}

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

/** Reads the result of a JSON patch. */
function patchedObject(
  result: JsonValue,
  { version: { type, kind, apiVersion }, isCustom }: MutatedObject,
): JsonObject {
  if (!isObject(result)) throw internalError(`the patch makes something else than a ${kind}`);
  const typed = isCustom
    ? result
    : { ...result, kind: result["kind"] ?? kind, apiVersion: result["apiVersion"] ?? apiVersion };
  if (typed["kind"] !== kind || typed["apiVersion"] !== apiVersion)
    throw internalError("the patch changes the object's kind or apiVersion");
  const { value, problems } = decodedBy(type, typed);
  const [problem] = problems;
  if (problem !== undefined && !isCustom) throw internalError(`strict decoding error: unknown field "${problem.path}"`);
  type.applyDefaults(value);
  return value;
}

function decodedBy(type: ServedVersion["type"], object: JsonObject): ReturnType<ServedVersion["type"]["decode"]> {
  try {
    return type.decode(object);
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message, { cause: error });
    throw error;
  }
}
