// Findings about a definition for its conditions. A stored definition may violate rules that apply only to new ones.

import { Place, Report } from "@orch/apis-model";
import { field } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Definition } from "./definition-parts";
import { structural } from "./definition-schemas-validation";
import { type Approval, approvalOf } from "./protected-groups";

export interface DefinitionFindings {
  /** Violations of the structural schema rules, as text; preserving unknown fields is one of them. */
  readonly notStructural: readonly string[];
  readonly approval: Approval;
}

/**
 * Returns the findings.
 * @param definition in any version
 * @param inHub returns it in the hub version; called when its schemas must be checked
 */
export function definitionFindings(
  definition: JsonObject,
  inHub: () => JsonObject,
  vocabulary: Vocabulary,
): DefinitionFindings {
  const { spec } = definition as unknown as Definition;
  return {
    // With pruning, only structural schemas are accepted.
    notStructural:
      spec.preserveUnknownFields === true
        ? [KEEPS_ALL, ...structuralBreaches(inHub() as unknown as Definition, vocabulary)]
        : [],
    approval: approvalOf(definition as unknown as Definition, vocabulary),
  };
}

const KEEPS_ALL = field.fieldErrorText(field.invalid("spec.preserveUnknownFields", true, "must be false"));
/** Path of the schema that all versions share in the hub version. */
const SHARED = "spec.validation.";

/** Lists the violations per version, as in v1. */
function structuralBreaches(definition: Definition, vocabulary: Vocabulary): readonly string[] {
  const report = new Report({ vocabulary, version: { group: vocabulary.groups.apiextensions, version: "v1" } });
  structural(definition, Place.ROOT, report);
  const { versions = [] } = definition.spec;
  return versions.flatMap((_, at) =>
    report.errors.flatMap((error) => {
      const { path } = error;
      const own = path.startsWith(SHARED) ? `spec.versions[${at}].schema.${path.slice(SHARED.length)}` : path;
      return own.startsWith(`spec.versions[${at}].`) ? [field.fieldErrorText({ ...error, path: own })] : [];
    }),
  );
}
