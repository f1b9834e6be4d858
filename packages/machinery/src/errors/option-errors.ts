// Invalid query options: a 422 that names the kind of options.
import type { Vocabulary } from "@orch/schema";
import type { FieldError } from "./field-error";
import { invalid } from "./object-errors";

export type OptionsKind = "ListOptions" | "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/**
 * Refuses invalid options.
 * @throws StatusError Invalid (422) with all errors, when there are any
 */
export function refuseInvalid(kind: OptionsKind, errors: readonly FieldError[], vocabulary: Vocabulary): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.groups.meta, kind }, "", errors);
}
