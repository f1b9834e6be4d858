// The rules of a schema by itself, for whoever has one without the definition around it. Source: facts, validation/apiextensions.md
// "Schema, every node", "Structural schema".
import type { FieldError } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { Place } from "../model/rules/place";
import { Report } from "../model/rules/report";
import { type Definition, rootsOf } from "./definition-parts";
import { checkListItems } from "./list-type-validation";
import { Patterns } from "./patterns";
import type { SchemaNode } from "./schema-node";
import { checkSchemaNodes, checkTypes } from "./schema-node-validation";
import { checkStructural } from "./structural-schema";

/**
 * Why a schema is not structural: the breaches that a definition's condition tells of.
 * @param path of the schema's root
 */
export function structureErrors(schema: JsonObject, path: string, vocabulary: Vocabulary): readonly FieldError[] {
  const report = reportFor(vocabulary);
  checkStructural(schema as unknown as SchemaNode, new Patterns(), Place.ROOT.field(path), report);
  return report.errors;
}

/**
 * All that a schema breaks as one of a new definition of v1, but for the values of its defaults.
 * @param path of the schema's root
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

/** One schema of a definition: of one version, or of several that share it. */
export interface DefinitionSchema {
  readonly schema: JsonObject;
  /** Of its root, as errors name it. */
  readonly path: string;
}

/** @param definition in the hub's shape, in which its rules see it */
export const schemasOf = (definition: JsonObject): readonly DefinitionSchema[] =>
  rootsOf(definition as unknown as Definition).map(({ root, at }) => ({
    schema: root as unknown as JsonObject,
    path: at.toString(),
  }));
