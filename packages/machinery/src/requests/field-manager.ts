// Names of field managers, from the `fieldManager` parameter and managedFields entries. Source: "Server-Side Apply" in
// the Kubernetes documentation, "Managers".
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

/** Printable ASCII, which covers nearly all names. */
const ASCII = /^[ -~]*$/;

/** Letters, marks, digits, punctuation, symbols, and U+0020 as the only space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

/**
 * Returns the name of the field manager: the `fieldManager` parameter or, by default, the program name in the user
 * agent.
 * @param request fieldManager: query parameter, "" when absent; userAgent: header value, such as `tool/v1.2
 * (linux/amd64)`
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
