// What becomes of a patch whose result is no object of its kind. Source: facts, errors.json "PatchResultDecode".
import type { JsonValue } from "@orch/schema";
import { invalid as invalidField, VALUE_TEXT_MAX_CHARACTERS } from "../field-error";
import { jsonStart } from "../json-start";
import { invalid } from "../object-errors";
import type { StatusError } from "../status-error";

/** @param why what decoding says of it */
export function undecodablePatchResult(patched: JsonValue, why: string): StatusError {
  const shown = jsonStart(patched, VALUE_TEXT_MAX_CHARACTERS);
  return invalid({ group: "", kind: "" }, "", [invalidField("patch", shown, why)]);
}
