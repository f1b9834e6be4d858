// What the kind of definitions cannot judge by itself, because it knows neither types that are made of schemas nor expressions: whether
// the defaults of a schema are good values, and whether its validation rules compile and stay within what they may cost.
import { type DefinitionSchema, schemasOf } from "@orch/apis";
import { type FieldError, type ResourceDefinition, sameJson } from "@orch/machinery";
import type { JsonObject, Schema, Vocabulary } from "@orch/schema";
import { checkDefinitionRules } from "../rules";
import { structuralErrors } from "../structural";

export interface SchemaRulesParts {
  readonly vocabulary: Vocabulary;
  /** Where the type of metadata is found. */
  readonly types: Schema;
}

/** The kind of definitions, which says that too when one is made, and of schemas that an update changes. */
export function withSchemaRules(kind: ResourceDefinition, parts: SchemaRulesParts): ResourceDefinition {
  const { strategy } = kind;
  return {
    ...kind,
    longBytes: LONG_BYTES,
    strategy: {
      ...strategy,
      validateCreate: (object, through) => [
        ...(strategy.validateCreate?.(object, through) ?? []),
        ...errorsOf(object, undefined, parts),
      ],
      validateUpdate: (object, old, through) => [
        ...(strategy.validateUpdate?.(object, old, through) ?? []),
        ...errorsOf(object, old, parts),
      ],
    },
  };
}

/** Rules are long texts: a schema of few values may have much to compile. */
const LONG_BYTES = 128 * 1024;

/** Schemas that are as they were are not asked again; nor is an update asked for better defaults than those that were let in before. */
function errorsOf(object: JsonObject, old: JsonObject | undefined, parts: SchemaRulesParts): FieldError[] {
  const before = old === undefined ? [] : schemasOf(old);
  const changed = schemasOf(object).filter(({ schema }) => !before.some((each) => sameJson(each.schema, schema)));
  if (changed.length === 0) return [];
  const defaultsOf = ({ schema, path }: DefinitionSchema) =>
    structuralErrors(schema, path, { ...parts, only: "defaults" });
  const hadBroken = before.some((each) => defaultsOf(each).length > 0);
  return changed.flatMap((each) => [
    ...(hadBroken ? [] : defaultsOf(each)),
    ...checkDefinitionRules(each.schema, parts.vocabulary, each.path).errors,
  ]);
}
