// Applies the JSON patch of a webhook. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go; RFC 6902.
import {
  applyJsonPatch,
  internalError,
  type JsonPatchOperation,
  ManyValuesError,
  readJsonPatch,
  type ServedVersion,
  StatusError,
} from "@orch/machinery";
import {
  countValues,
  DecodeError,
  existsIn,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  readJson,
} from "@orch/schema";
import { CallingError, NAMES_STAGES } from "./calling-error";

export interface ReadPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Operations as they were sent. */
  readonly sent: JsonArray;
  /** Whether another thread takes long work. */
  readonly hasElsewhere: boolean;
}

/** Maximum number of values in a patch. No stored object has more. */
const VALUES_MAX = 300_000;

/**
 * Parses a patch.
 * @param of.valuesHere number of values from which another thread must read the patch; undefined: there is none
 * @throws CallingError, or StatusError InternalError (500) in older releases; ManyValuesError
 */
export function readPatch(
  patch: Buffer,
  of: { readonly release: string; readonly valuesHere: number | undefined },
): ReadPatch {
  const { release, valuesHere } = of;
  if (countValues(patch, VALUES_MAX) >= VALUES_MAX)
    throw new CallingError("patch", `it has more than ${VALUES_MAX} values`);
  if (valuesHere !== undefined && countValues(patch, valuesHere) >= valuesHere)
    throw new ManyValuesError("a webhook's patch has many values");
  try {
    const sent = readJson(patch.toString());
    return { operations: readJsonPatch(sent), sent: sent as JsonArray, hasElsewhere: valuesHere !== undefined };
  } catch (error) {
    const why = (error as Error).message.slice(0, SHOWN_MAX);
    if (existsIn(NAMES_STAGES, release)) throw new CallingError("patch", why, { cause: error });
    throw internalError(why, { cause: error });
  }
}

/** Maximum number of characters of webhook data in a message. */
const SHOWN_MAX = 300;
/** Maximum size that the `copy` operations of one patch may add, as for clients' patches. */
const COPY_MAX_BYTES = 3 * 1024 * 1024;
/** Maximum for this thread when another one takes long work: some thousands of values. */
const COPY_BYTES_HERE = 16 * 1024;

/**
 * Applies a patch.
 * @param object not modified
 * @returns the new object, decoded and defaulted
 * @throws StatusError InternalError (500); ManyValuesError
 */
export function patched(object: JsonObject, patch: ReadPatch, { type, kind, apiVersion }: ServedVersion): JsonObject {
  const result = applied(object, patch);
  if (!isObject(result)) throw internalError(`the result of the webhook's patch is not a valid ${kind}`);
  if (result["kind"] !== kind || result["apiVersion"] !== apiVersion)
    throw internalError(
      `the webhook's patch changes the object's kind or apiVersion, which must stay ${kind} of ${apiVersion}`,
    );
  try {
    const { value } = type.decode(result);
    type.applyDefaults(value);
    return value;
  } catch (error) {
    if (error instanceof DecodeError)
      throw internalError(`the result of the webhook's patch is not a valid ${kind}: ${error.message}`, {
        cause: error,
      });
    throw error;
  }
}

function applied(object: JsonObject, { operations, hasElsewhere }: ReadPatch): JsonValue {
  const copyBytesHere = hasElsewhere ? COPY_BYTES_HERE : undefined;
  try {
    return applyJsonPatch(object, operations, { copyMaxBytes: COPY_MAX_BYTES, copyBytesHere });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw internalError(`the webhook's patch cannot be applied: ${why}`, { cause: error });
  }
}
