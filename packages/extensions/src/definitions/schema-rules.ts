// Validation of custom resource definitions that needs types built from schemas, or CEL: default values, validation
// rules and their estimated cost.
import { type DefinitionSchema, schemasOf } from "@orch/apis";
import { checkDefinitionRules, DefinitionPlaces, ExpressionRules, newExpressionLimit } from "@orch/expressions";
import { type FieldError, ManyValuesError, type ResourceDefinition, sameJson, withAddedRules } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Schema, type Vocabulary, writeJson } from "@orch/schema";
import { structuralErrors } from "../structural";

export interface SchemaRulesParts {
  readonly vocabulary: Vocabulary;
  /** Source of the metadata type. */
  readonly types: Schema;
  /** Whether another thread takes long validations, so that they never block this event loop. */
  readonly hasElsewhere: boolean;
  /** Newest release whose functions new rules may use. Absent: all functions. */
  readonly compatibility?: string | undefined;
  /** Whether errors of defaults have kinds by the rule that is violated. */
  readonly hasErrorKinds?: boolean;
}

/**
 * Returns the resource of custom resource definitions with these validations on create, and on update for changed
 * schemas. Long validations throw ManyValuesError when another thread exists.
 */
export function withSchemaRules(kind: ResourceDefinition, parts: SchemaRulesParts): ResourceDefinition {
  return withAddedRules(kind, {
    longBytes: LONG_BYTES,
    create: (object) => errorsOf(object, undefined, parts),
    update: (object, old) => errorsOf(object, old, parts),
  });
}

/**
 * From this size on, a definition counts as long. Rules are long texts: a schema of few values may have much to
 * compile.
 */
const LONG_BYTES = 128 * 1024;

/** Maximum total length of rules compiled in this thread: a thousand characters take a few milliseconds. */
const RULE_CHARACTERS_HERE = 2000;

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

const ruleCharacters = (schema: JsonObject, vocabulary: Vocabulary): number =>
  sum(rulesIn(schema, vocabulary).map((rules) => writeJson(rules).length));

function storedRules(before: readonly DefinitionSchema[], vocabulary: Vocabulary): ReadonlySet<string> {
  const stored = new Set<string>();
  for (const rule of before.flatMap(({ schema }) => rulesIn(schema, vocabulary)).flat()) {
    if (!isObject(rule)) continue;
    for (const text of [rule["rule"], rule["messageExpression"]]) if (typeof text === "string") stored.add(text.trim());
  }
  return stored;
}

/** Returns the lists of rules of all nodes. */
function rulesIn(schema: JsonObject, { schemaExtensions }: Vocabulary): readonly JsonValue[] {
  const found: JsonValue[] = [];
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value.filter(isContainer));
    else if (isObject(value)) {
      for (const name in value) {
        const member = value[name] as JsonValue;
        if (name === schemaExtensions.validations) found.push(member);
        else if (isContainer(member)) open.push(member);
      }
    }
  }
  return found;
}

const isContainer = (value: JsonValue): boolean => typeof value === "object" && value !== null;

/**
 * Unchanged schemas are not validated again. An update is not validated for defaults when the old schemas had invalid
 * ones.
 */
function errorsOf(object: JsonObject, old: JsonObject | undefined, parts: SchemaRulesParts): FieldError[] {
  const before = old === undefined ? [] : schemasOf(old);
  const changed = schemasOf(object).filter(({ schema }) => !before.some((each) => sameJson(each.schema, schema)));
  if (changed.length === 0) return [];
  const characters = new Map(changed.map((each) => [each, ruleCharacters(each.schema, parts.vocabulary)]));
  if (parts.hasElsewhere && sum(characters.values()) > RULE_CHARACTERS_HERE)
    throw new ManyValuesError("long rules must be compiled");
  const defaultsOf = ({ schema, path }: DefinitionSchema, rules?: ExpressionRules) =>
    structuralErrors(schema, path, { ...parts, only: "defaults", rules });
  const limit = newExpressionLimit(parts.compatibility, parts.vocabulary, storedRules(before, parts.vocabulary));
  const hadBroken = before.some((each) => defaultsOf(each).length > 0);
  return changed.flatMap((each) => {
    const broken = hadBroken ? [] : defaultsOf(each);
    // Since 1.25, rules of a schema with invalid defaults are not compiled.
    const isEnough = broken.length > 0 && parts.hasErrorKinds === true;
    if (isEnough || characters.get(each) === 0) return broken;
    const places = new DefinitionPlaces(parts.vocabulary, limit);
    const { errors } = checkDefinitionRules(each.schema, parts.vocabulary, each.path, places);
    if (hadBroken || broken.length > 0 || errors.length > 0) return [...broken, ...errors];
    return defaultsOf(each, new ExpressionRules(parts.vocabulary, places));
  });
}
