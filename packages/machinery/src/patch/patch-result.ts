// Errors for a patch whose result cannot be decoded.
import { DecodeError, type JsonValue } from "@orch/schema";
import { invalid as invalidField, VALUE_TEXT_MAX_CHARACTERS } from "../errors/field-error";
import { invalid } from "../errors/object-errors";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import type { StatusError } from "../errors/status-error";
import { jsonStart } from "../json/json-text";

/**
 * Returns the error for an undecodable patch result.
 * @param why the decoding error; a number out of range is a BadRequest (400), everything else is Invalid (422)
 */
export function undecodablePatchResult(patched: JsonValue, why: string | DecodeError): StatusError {
  if (why instanceof DecodeError && why.shape === "range") return badRequest(BAD_REQUEST_TEXT.patchDecode(why.message));
  const shown = jsonStart(patched, VALUE_TEXT_MAX_CHARACTERS);
  const text = why instanceof DecodeError ? `${why.message}${unrestored(why)}` : why;
  return invalid({ group: "", kind: "" }, "", [invalidField("patch", shown, text)]);
}

/** Adds the wording of Kubernetes, which scripts search for, when a patch replaces a value by one of another type. */
function unrestored({ shape, value }: DecodeError): string {
  if (shape === undefined || shape === "range" || value === undefined) return "";
  const from = kindOf(value);
  return `: cannot restore ${shape === "struct" ? `struct from: ${from}` : `${shape === "list" ? "slice" : "map"} from ${from}`}`;
}

function kindOf(value: JsonValue): string {
  switch (typeof value) {
    case "object":
      return Array.isArray(value) ? "slice" : "map";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "string":
      return "string";
  }
}
