// What there is to say of a definition beyond its names, for its conditions: definitions that are valid once may be let in with less.
import { field } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { Place } from "../model/rules/place";
import { Report } from "../model/rules/report";
import type { Definition } from "./definition-parts";
import { structural } from "./definition-schemas-validation";
import { type Approval, approvalOf } from "./protected-groups";

export interface DefinitionFindings {
  /** Why the schemas are not structural, each breach as text; that nothing is dropped is one. */
  readonly notStructural: readonly string[];
  readonly approval: Approval;
}

/**
 * @param definition in any version
 * @param inHub the same in the hub's shape; asked for where its schemas have to be looked at
 */
export function definitionFindings(
  definition: JsonObject,
  inHub: () => JsonObject,
  vocabulary: Vocabulary,
): DefinitionFindings {
  const { spec } = definition as unknown as Definition;
  return {
    // Where unknown fields are dropped, nothing else is let in.
    notStructural:
      spec.preserveUnknownFields === true
        ? [KEEPS_ALL, ...structuralBreaches(inHub() as unknown as Definition, vocabulary)]
        : [],
    approval: approvalOf(definition as unknown as Definition, vocabulary),
  };
}

const KEEPS_ALL = field.fieldErrorText(field.invalid("spec.preserveUnknownFields", true, "must be false"));
/** Where the hub has a schema that all versions share. */
const SHARED = "spec.validation.";

/** Told version by version, as v1 has them. */
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
