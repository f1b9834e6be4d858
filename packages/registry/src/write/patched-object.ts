// What a patch makes of an object, as an object of its type again. Source: facts, strategic-merge.md.

import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  type ServedVersion,
  undecodablePatchResult,
} from "@orch/machinery";
import { DecodeError, type DecodeProblem, isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";
import type { Patch } from "../registry";

/** `--json-patch-max-copy-bytes` of the field's servers: what the `copy` operations of one patch may add. */
const COPY_MAX_BYTES = 3 * 1024 * 1024;

type PartialChange = Exclude<Patch, { readonly kind: "apply" }>;

/**
 * @param of live: in the version; the result may keep parts of it
 * @param noticed what the result holds beyond its type; may throw
 * @returns decoded, with its defaults
 * @throws StatusError Invalid (422) on `patch` where the result is no object of the version; what the patch's own rules say
 */
export function patchedObject(
  version: ServedVersion,
  of: { readonly live: JsonObject; readonly change: PartialChange },
  noticed: (problems: readonly DecodeProblem[]) => void,
): JsonObject {
  const patched = changed(version, of.live, of.change);
  if (!isObject(patched)) throw undecodablePatchResult(patched, `it is no ${version.kind}`);
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
    noticed(problems);
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
