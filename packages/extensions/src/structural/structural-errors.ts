// All errors of a definition's schema.
import { schemaErrors, structureErrors } from "@orch/apis";
import type { JsonObject, Schema, Vocabulary } from "@orch/schema";
import type { FieldErrors } from "./content-errors";
import { defaultErrors } from "./default-values";
import { metadataType } from "./metadata-type";
import type { RuleLanguage } from "./place-rules";
import { sizeErrors } from "./schema-size";

/** Path as in Status causes, such as `spec.versions[0].schema.openAPIV3Schema`. */
export type FieldPath = string;

export interface StructuralOptions {
  readonly vocabulary: Vocabulary;
  /** Source of the metadata type. Absent: the schema of the vocabulary, of the newest release. */
  readonly types?: Schema;
  /**
   * "structure": violations of structural schema rules, as reported by a condition. "defaults": default values and the
   * size, which the rules of the definition resource do not check. Absent: all errors, as for a new definition of v1.
   */
  readonly only?: "structure" | "defaults";
  /** Whether errors of defaults have kinds by the rule that is violated. Default: false. */
  readonly hasErrorKinds?: boolean | undefined;
  /** Language of validation rules. Absent: defaults are not checked by rules. */
  readonly rules?: RuleLanguage | undefined;
}

/** Returns the errors of a schema. @param path path of the schema's root */
export function structuralErrors(schema: JsonObject, path: FieldPath, options: StructuralOptions): FieldErrors {
  const { vocabulary, only } = options;
  const tooLarge = sizeErrors(schema, path);
  if (tooLarge.length > 0) return tooLarge;
  if (only === "structure") return structureErrors(schema, path, vocabulary);
  const ofDefaults = defaultErrors(schema, path, {
    markers: vocabulary.schemaExtensions,
    metadata: metadataType(vocabulary, options.types),
    hasErrorKinds: options.hasErrorKinds,
    rules: options.rules,
  });
  return only === "defaults" ? ofDefaults : [...schemaErrors(schema, path, vocabulary), ...ofDefaults];
}
