// What the kind of definitions cannot judge by itself, because it knows neither types that are made of schemas nor expressions: whether
// the defaults of a schema are good values, and whether its validation rules compile and stay within what they may cost.
import { type FieldError, type GroupVersion, type ResourceDefinition, sameJson } from "@orch/machinery";
import type { JsonObject, Schema, Vocabulary } from "@orch/schema";
import { checkDefinitionRules } from "../rules";
import { structuralErrors } from "../structural";
import type { Definition } from "./definition";

export interface SchemaRulesParts {
  readonly vocabulary: Vocabulary;
  /** Where the type of metadata is found. */
  readonly types: Schema;
}

/** The kind of definitions, which says that too when one is made, and of schemas that an update changes. */
export function withSchemaRules(kind: ResourceDefinition, parts: SchemaRulesParts): ResourceDefinition {
  const { strategy } = kind;
  const untold = (found: readonly FieldError[], object: JsonObject, through: GroupVersion): readonly FieldError[] => {
    if (found.length === 0) return found;
    const told = new Set(strategy.validate?.(object, through).map(nameOf));
    return found.filter((error) => !told.has(nameOf(error)));
  };
  return {
    ...kind,
    strategy: {
      ...strategy,
      validateCreate: (object, through) => [
        ...(strategy.validateCreate?.(object, through) ?? []),
        ...untold(errorsOf(object, undefined, parts), object, through),
      ],
      validateUpdate: (object, old, through) => [
        ...(strategy.validateUpdate?.(object, old, through) ?? []),
        ...untold(errorsOf(object, old, parts), object, through),
      ],
    },
  };
}

const nameOf = ({ kind, path }: FieldError): string => `${kind} ${path}`;

function errorsOf(object: JsonObject, old: JsonObject | undefined, parts: SchemaRulesParts): FieldError[] {
  const before = new Map(versionsOf(old).map((version) => [version.name, version.schema?.openAPIV3Schema]));
  return versionsOf(object).flatMap(({ name, schema }, index) => {
    const root = schema?.openAPIV3Schema as JsonObject | undefined;
    if (root === undefined || sameJson(root, before.get(name))) return [];
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    const ofDefaults = structuralErrors(root, path, { ...parts, only: "defaults" });
    return [...ofDefaults, ...checkDefinitionRules(root, parts.vocabulary, path).errors];
  });
}

const versionsOf = (object: JsonObject | undefined) => (object as Definition | undefined)?.spec?.versions ?? [];
