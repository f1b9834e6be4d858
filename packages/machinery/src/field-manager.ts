// The name of a workflow that owns fields: what a `fieldManager` parameter and a managedFields entry may hold.
// Source: facts, validation/meta.md and validation/_common.md.
import { type FieldError, invalid, tooLong } from "./field-error";

const MANAGER_MAX_BYTES = 128;

export function fieldManagerErrors(manager: string, path: string): readonly FieldError[] {
  return [
    ...(Buffer.byteLength(manager) > MANAGER_MAX_BYTES ? [tooLong(path, MANAGER_MAX_BYTES)] : []),
    ...(PRINTABLE.test(manager) ? [] : [invalid(path, manager, "should only contain printable characters")]),
  ];
}

/** Letters, marks, digits, punctuation, symbols, and of the spaces only the plain one. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
