// What becomes of a patch whose result is no object of its kind. Source: facts, errors.json "PatchResultDecode".
import { DecodeError, type JsonValue } from "@orch/schema";
import { invalid as invalidField, VALUE_TEXT_MAX_CHARACTERS } from "../field-error";
import { jsonStart } from "../json-start";
import { invalid } from "../object-errors";
import type { StatusError } from "../status-error";

/** @param why what decoding says of it */
export function undecodablePatchResult(patched: JsonValue, why: string | DecodeError): StatusError {
  const shown = jsonStart(patched, VALUE_TEXT_MAX_CHARACTERS);
  const text = why instanceof DecodeError ? `${why.message}${unrestored(why)}` : why;
  return invalid({ group: "", kind: "" }, "", [invalidField("patch", shown, text)]);
}

/** The words that scripts look for where a patch has put a value of one kind in the place of another. */
function unrestored({ shape, value }: DecodeError): string {
  if (shape === undefined || value === undefined) return "";
  const from = kindOf(value);
  return `: cannot restore ${shape === "struct" ? `struct from: ${from}` : `${shape === "list" ? "slice" : "map"} from ${from}`}`;
}

function kindOf(value: JsonValue): string {
  switch (typeof value) {
    case "object":
      return Array.isArray(value) ? "slice" : "map";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "string":
      return "string";
  }
}
