// Applies a patch to an object, and decodes the result as an object of its type.

import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  type ServedVersion,
  undecodablePatchResult,
} from "@orch/machinery";
import { DecodeError, type DecodeProblem, isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import type { Patch } from "../contract/operations";

/**
 * Maximum number of bytes that the `copy` operations of one patch may add. Source: the kube-apiserver default of
 * `JSONPatchMaxCopyBytes`, staging/src/k8s.io/apiserver/pkg/server/config.go.
 */
const COPY_MAX_BYTES = 3 * 1024 * 1024;

type PartialChange = Exclude<Patch, { readonly kind: "apply" }>;

/**
 * Applies a patch.
 * @param of live: in the version; the result may share parts with it
 * @param noticed receives the decoding problems of the result; may throw
 * @returns decoded, with defaults applied
 * @throws StatusError Invalid (422) on `patch` when the result is not an object of the version; errors of the patch
 * format
 */
export function patchedObject(
  version: ServedVersion,
  of: { readonly live: JsonObject; readonly change: PartialChange },
  noticed: (problems: readonly DecodeProblem[], patched: JsonObject) => void,
): JsonObject {
  const patched = changed(version, of.live, of.change);
  if (!isObject(patched)) throw undecodablePatchResult(patched, `it is not a ${version.kind}`);
  if (patched["kind"] !== version.kind || patched["apiVersion"] !== version.apiVersion) {
    const { kind = "", apiVersion = "" } = patched;
    const found = `${writeJson(kind)} of ${writeJson(apiVersion)}`;
    throw undecodablePatchResult(
      patched,
      `kind and apiVersion must stay ${version.kind} of ${version.apiVersion}, not ${found}`,
    );
  }
  try {
    const { value, problems } = version.type.decode(patched);
    noticed(problems, patched);
    version.type.applyDefaults(value);
    return value;
  } catch (error) {
    if (error instanceof DecodeError) throw undecodablePatchResult(patched, error);
    throw error;
  }
}

function changed(version: ServedVersion, live: JsonObject, change: PartialChange): JsonValue {
  switch (change.kind) {
    case "json":
      return applyJsonPatch(live, change.operations, { copyMaxBytes: COPY_MAX_BYTES });
    case "merge":
      return applyMergePatch(live, change.body);
    case "strategicMerge":
      return applyStrategicMergePatch(version.type.struct, live, change.body);
  }
}
