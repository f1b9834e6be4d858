// Schemas of a definition: which are required, and which rules apply. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import type { Report, Rule } from "@orch/apis-model";
import { type Definition, partOf, rootsOf, SPEC, type Version, versionsOf } from "./definition-parts";
import { checkListItems } from "./list-type-validation";
import { Patterns } from "./patterns";
import { checkSchemaNodes, checkTypes, usesDefaults } from "./schema-node-validation";
import { checkStructural, namesDialect, usesExtensions } from "./structural-schema";

export const isV1 = ({ version }: Report): boolean => version.version === "v1";

export const hasDefaults = (definition: Definition): boolean =>
  rootsOf(definition).some(({ root, at }) => usesDefaults(root, at));

/** Checks all schema nodes. @param mayDefault whether the request's version, or the old object, has defaults */
export const schemaNodes =
  (mayDefault: boolean): Rule<Definition> =>
  (definition, _at, report) => {
    for (const { root, at } of rootsOf(definition)) {
      if (root.nullable === true) report.forbidden(at.field("nullable"), "nullable cannot be true at the root");
      checkSchemaNodes(root, at, report, mayDefault ? undefined : "must not be set");
    }
  };

export const everyVersionHasSchema: Rule<Definition> = (definition, _at, report) =>
  requireSchemas(definition, () => true, report);

/** Requires schemas of served versions when unknown fields are pruned. v1 requires them of all versions. */
export const servedVersionsHaveSchema: Rule<Definition> = (definition, _at, report) => {
  if (isV1(report) || definition.spec.preserveUnknownFields === true) return;
  requireSchemas(definition, ({ served }) => served, report);
};

function requireSchemas(definition: Definition, ofWhich: (version: Version) => boolean, report: Report): void {
  versionsOf(definition).forEach((version, position) => {
    if (partOf(definition, version, "schema")?.openAPIV3Schema !== undefined || !ofWhich(version)) return;
    const place = SPEC.field("versions").item(position).field("schema").field("openAPIV3Schema");
    report.required(place, "schemas are required");
  });
}

export const prunes: Rule<Definition> = ({ spec }, _at, report) => {
  if (spec.preserveUnknownFields !== true) return;
  report.invalid(SPEC.field("preserveUnknownFields"), true, "must be false");
};

export const prunesToDefault: Rule<Definition> = (definition, _at, report) => {
  if (definition.spec.preserveUnknownFields !== true || !hasDefaults(definition)) return;
  const detail = "must be false in order to use defaults in the schema";
  report.invalid(SPEC.field("preserveUnknownFields"), true, detail);
};

export const knownTypes: Rule<Definition> = (definition, _at, report) => {
  for (const { root, at } of rootsOf(definition)) checkTypes(root, at, report);
};

export const listItems: Rule<Definition> = (definition, _at, report) => {
  for (const { root, at } of rootsOf(definition)) checkListItems(root, at, report);
};

/** Returns whether the definition needs structural schemas: for pruning, defaults or extensions. */
function needsStructure(definition: Definition, report: Report): boolean {
  if (definition.spec.preserveUnknownFields !== true) return true;
  return rootsOf(definition).some(({ root, at }) => usesDefaults(root, at) || usesExtensions(root, at, report));
}

export const structuralWhereNeeded: Rule<Definition> = (definition, at, report) => {
  if (needsStructure(definition, report)) structural(definition, at, report);
};

export const structuralAnyway: Rule<Definition> = (definition, at, report) => {
  if (!needsStructure(definition, report)) structural(definition, at, report);
};

export const structural: Rule<Definition> = (definition, _at, report) => {
  const patterns = new Patterns();
  for (const { root, at } of rootsOf(definition)) {
    if (namesDialect(root, at)) report.invalid(at, "", "OpenAPIV3Schema 'schema' is not supported");
    else checkStructural(root, patterns, at, report);
  }
};
