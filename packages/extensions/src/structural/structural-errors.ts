// Everything that is wrong with the schema of a definition, at once. Source: facts, validation/apiextensions.md.
import { schemaErrors, structureErrors } from "@orch/apis";
import type { JsonObject, Schema, Vocabulary } from "@orch/schema";
import type { FieldErrors } from "./content-errors";
import { defaultErrors } from "./default-values";
import { metadataType } from "./metadata-type";
import { sizeErrors } from "./schema-size";

/** As Status causes spell it, such as `spec.versions[0].schema.openAPIV3Schema`. */
export type FieldPath = string;

export interface StructuralOptions {
  readonly vocabulary: Vocabulary;
  /** Where the type of metadata comes from. Absent: the record of the vocabulary, of the newest release. */
  readonly types?: Schema;
  /**
   * "structure": why it is not structural, which a condition tells of. "defaults": what the rules of the definition kind leave open,
   * which are the values of defaults and the size. Absent: everything, as for a new definition of v1.
   */
  readonly only?: "structure" | "defaults";
}

/** @param path of the schema's root */
export function structuralErrors(schema: JsonObject, path: FieldPath, options: StructuralOptions): FieldErrors {
  const { vocabulary, only } = options;
  const tooLarge = sizeErrors(schema, path);
  if (tooLarge.length > 0) return tooLarge;
  if (only === "structure") return structureErrors(schema, path, vocabulary);
  const ofDefaults = defaultErrors(schema, path, {
    markers: vocabulary.schemaExtensions,
    metadata: metadataType(vocabulary, options.types),
  });
  return only === "defaults" ? ofDefaults : [...schemaErrors(schema, path, vocabulary), ...ofDefaults];
}
