// Drops `optionalOldSelf` of validation rules where ratcheting is off. Schemas nest at any depth, so that no table of
// field paths names it. Source: staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go.
import type { RuleContext } from "@orch/apis-model";
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";

const FIELD = "optionalOldSelf";
/** First release with the gate. Definitions of older releases keep the field, which Orch has in all of them. */
const GATED_SINCE = "1.28";

/**
 * Drops the field from all rules of a definition, unless its gate is on or the stored definition has it.
 * @param old absent on create
 */
export function dropOptionalOldSelf(definition: JsonObject, old: JsonObject | undefined, context: RuleContext): void {
  if (!context.features.since(GATED_SINCE) || context.features.isOn("CRDValidationRatcheting")) return;
  const rules = context.vocabulary.schemaExtensions.validations;
  const specOf = (object: JsonObject | undefined): JsonValue => object?.["spec"] ?? null;
  if (rulesIn(specOf(old), rules).some((rule) => rule[FIELD] !== undefined)) return;
  for (const rule of rulesIn(specOf(definition), rules)) delete rule[FIELD];
}

/** Returns the rules of all schema nodes. */
function rulesIn(spec: JsonValue, keyword: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: JsonValue[] = [spec];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) for (const item of value) addContainer(open, item);
    else if (typeof value === "object" && value !== null) {
      for (const name in value) {
        const member = value[name] as JsonValue;
        if (name === keyword && Array.isArray(member)) found.push(...objectsIn(member));
        else addContainer(open, member);
      }
    }
  }
  return found;
}

function addContainer(to: JsonValue[], value: JsonValue): void {
  if (typeof value === "object" && value !== null) to.push(value);
}

const objectsIn = (list: JsonArray): JsonObject[] =>
  list.filter((item): item is JsonObject => typeof item === "object" && item !== null && !Array.isArray(item));
