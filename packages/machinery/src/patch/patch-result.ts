// What becomes of a patch whose result is no object of its kind. Source: facts, errors.json "PatchResultDecode".
import type { JsonValue } from "@orch/schema";
import { invalid as invalidField } from "../field-error";
import { invalid } from "../object-errors";
import type { StatusError } from "../status-error";

/** @param error what decoding says of it */
export function undecodablePatchResult(patched: JsonValue, error: Error): StatusError {
  return invalid({ group: "", kind: "" }, "", [invalidField("patch", JSON.stringify(patched), error.message)]);
}
