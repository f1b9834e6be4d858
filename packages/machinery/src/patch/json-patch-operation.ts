// Parses the operations of a JSON patch. Source: RFC 6902 section 4.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest, requestEntityTooLarge, TOO_LARGE_TEXT } from "../errors/request-errors";
import { StatusError } from "../errors/status-error";
import { jsonStart } from "../json/json-text";
import { type JsonPointer, parseJsonPointer } from "./json-pointer";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: JsonPointer; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: JsonPointer }
  | { readonly op: "move" | "copy"; readonly path: JsonPointer; readonly from: JsonPointer };

const OPERATIONS_MAX = 10_000;
/** Maximum characters of an operation's name shown in a message. */
const OP_TEXT_MAX = 100;

/**
 * Parses a JSON patch.
 * @param body the parsed body; the operations share its values
 * @throws StatusError BadRequest (400) when the body is not a list of objects, Invalid (422) for an operation that
 * violates RFC 6902, as in kube-apiserver, RequestEntityTooLarge (413) for more than 10,000 operations
 */
export function readJsonPatch(body: JsonValue): readonly JsonPatchOperation[] {
  if (!Array.isArray(body)) throw malformed("a JSON patch is a list of operations");
  if (body.length > OPERATIONS_MAX) throw requestEntityTooLarge(TOO_LARGE_TEXT.jsonPatch(body.length));
  return body.map(readOperation);
}

function readOperation(operation: JsonValue, index: number): JsonPatchOperation {
  const at = `operation ${index}`;
  if (operation === null) throw wrongOperation(`${at} is null`);
  if (!isObject(operation)) throw malformed(`${at} is not an object`);
  const path = readPointer(operation, "path", at);
  const op = operation["op"];
  switch (op) {
    case "add":
    case "replace":
    case "test": {
      const value = operation["value"];
      if (value === undefined) throw wrongOperation(`${at} has no "value"`);
      return { op, path, value };
    }
    case "remove":
      return { op, path };
    case "move":
    case "copy":
      return { op, path, from: readPointer(operation, "from", at) };
    default:
      throw wrongOperation(`${at} has the unknown "op" ${jsonStart(op, OP_TEXT_MAX)}`);
  }
}

function readPointer(operation: JsonObject, member: "path" | "from", at: string): JsonPointer {
  const text = operation[member];
  const pointer = typeof text === "string" ? parseJsonPointer(text) : undefined;
  if (pointer === undefined) throw wrongOperation(`the "${member}" of ${at} is not a JSON pointer`);
  return pointer;
}

const malformed = (why: string) => badRequest(BAD_REQUEST_TEXT.patchDecode(why));
const wrongOperation = (why: string) => new StatusError("Invalid", BAD_REQUEST_TEXT.patchDecode(why), {});
