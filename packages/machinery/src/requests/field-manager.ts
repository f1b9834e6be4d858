// The name of a workflow that owns fields: what a `fieldManager` parameter and a managedFields entry may hold.
// Source: facts, validation/meta.md and validation/_common.md.
import { type FieldError, invalid, tooLong } from "../errors/field-error";

const MANAGER_MAX_BYTES = 128;

export function fieldManagerErrors(manager: string, path: string): readonly FieldError[] {
  if (ASCII.test(manager) && manager.length <= MANAGER_MAX_BYTES) return NONE;
  return [
    ...(Buffer.byteLength(manager) > MANAGER_MAX_BYTES ? [tooLong(path, MANAGER_MAX_BYTES)] : []),
    ...(PRINTABLE.test(manager) ? [] : [invalid(path, manager, "should only contain printable characters")]),
  ];
}

const NONE: readonly FieldError[] = [];

/** What is printable of it, as nearly all names are. */
const ASCII = /^[ -~]*$/;

/** Letters, marks, digits, punctuation, symbols, and of the spaces only the plain one. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/**
 * Who writes, where the request may not say it: the program that the user agent names.
 * @param request fieldManager: of the query, "" for none; userAgent: of the header, such as `tool/v1.2 (linux/amd64)`
 * Source: facts, ssa.md "Manager identity".
 */
export function managerName(request: { readonly fieldManager: string; readonly userAgent: string }): string {
  if (request.fieldManager !== "") return request.fieldManager;
  const [program = ""] = request.userAgent.split("/", 1);
  let name = "";
  let bytes = 0;
  for (const character of program) {
    if (!PRINTABLE.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > MANAGER_MAX_BYTES) break;
    name += character;
  }
  return name === "" ? "unknown" : name;
}
