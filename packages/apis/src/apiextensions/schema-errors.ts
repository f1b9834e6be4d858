// Validation of a schema on its own, without its definition. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import { Place, Report } from "@orch/apis-model";
import type { FieldError } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { type Definition, rootsOf } from "./definition-parts";
import { checkListItems } from "./list-type-validation";
import { Patterns } from "./patterns";
import type { SchemaNode } from "./schema-node";
import { checkSchemaNodes, checkTypes } from "./schema-node-validation";
import { checkStructural } from "./structural-schema";

/**
 * Returns the violations of the structural schema rules, as in the NonStructuralSchema condition.
 * @param path path of the schema's root
 */
export function structureErrors(schema: JsonObject, path: string, vocabulary: Vocabulary): readonly FieldError[] {
  const report = reportFor(vocabulary);
  checkStructural(schema as unknown as SchemaNode, new Patterns(), Place.ROOT.field(path), report);
  return report.errors;
}

/**
 * Returns all errors of a schema in a new v1 definition, except those of the values of defaults.
 * @param path path of the schema's root
 */
export function schemaErrors(schema: JsonObject, path: string, vocabulary: Vocabulary): readonly FieldError[] {
  const root = schema as unknown as SchemaNode;
  const at = Place.ROOT.field(path);
  const report = reportFor(vocabulary);
  if (root.nullable === true) report.forbidden(at.field("nullable"), "nullable cannot be true at the root");
  checkSchemaNodes(root, at, report);
  checkTypes(root, at, report);
  checkListItems(root, at, report);
  checkStructural(root, new Patterns(), at, report);
  return report.errors;
}

const reportFor = (vocabulary: Vocabulary): Report =>
  new Report({ vocabulary, version: { group: "apiextensions", version: "v1" } });

/** Schema of a definition, for one version or for several that share it. */
export interface DefinitionSchema {
  readonly schema: JsonObject;
  /** Path of its root in errors. */
  readonly path: string;
}

/** Returns the schemas of a definition. @param definition in the hub version */
export const schemasOf = (definition: JsonObject): readonly DefinitionSchema[] =>
  rootsOf(definition as unknown as Definition).map(({ root, at }) => ({
    schema: root as unknown as JsonObject,
    path: at.toString(),
  }));
