// The rules of a definition as the walker over its objects asks them: place by place, with one budget for an object.
import type { FieldError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { CompiledRule, type Outcome } from "./compiled-rule";
import { ObjectBudget } from "./evaluation/budget";
import { DefinitionPlaces } from "./place-rules";
import { pathWith } from "./rule-path";
import type { Reason } from "./rule-text";

/** The rules of one place of a schema. */
export interface RulesAtPlace {
  /**
   * Whether a value breaks the rules of its place. Never throws for what a definition or an object brings.
   * @param old the value before, where it is known which one that is
   * @param path of the value, spelled when asked for
   */
  errors(self: JsonValue, old: JsonValue | undefined, path: () => string, budget: ObjectBudget): readonly FieldError[];
}

/** Made for each version of a definition. */
export class ExpressionRules {
  private readonly places: DefinitionPlaces;

  /** @param places of the same schema, where its rules are compiled already */
  constructor(vocabulary: Vocabulary, places = new DefinitionPlaces(vocabulary)) {
    this.places = places;
  }

  /** Of one object: handed to each of its places. */
  budget(): ObjectBudget {
    return new ObjectBudget();
  }

  /** Compiles all rules of a schema, in steps. */
  preparing(schema: JsonObject): Generator<undefined, void> {
    return this.places.preparing(schema);
  }

  /** @returns undefined for a place that has no rules */
  compile(node: JsonObject, { isResource }: { readonly isResource: boolean }): RulesAtPlace | undefined {
    const place = this.places.at(node, isResource);
    if (place === undefined) return undefined;
    // A definition whose rules do not compile is not taken; one that was stored by another says so for each object.
    const rules = place.rules.map(({ compiled }) =>
      compiled instanceof CompiledRule
        ? compiled
        : `rule compile error: ${compiled.map(({ message }) => message).join("; ")}`,
    );
    return { errors: (self, old, path, budget) => errorsOf(rules, { self, old, path, budget }) };
  }
}

interface Question {
  readonly self: JsonValue;
  readonly old: JsonValue | undefined;
  readonly path: () => string;
  readonly budget: ObjectBudget;
}

function errorsOf(
  rules: readonly (CompiledRule | string)[],
  { self, old, path, budget }: Question,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  // That the budget ran out is said once: where it did.
  if (self === null || budget.isSpent) return errors;
  for (const rule of rules) {
    if (typeof rule === "string") {
      errors.push({ kind: "Invalid", path: path(), value: shown(self), detail: rule });
      continue;
    }
    const error = errorOf(rule.evaluate(self, old, budget), { self, path: () => pathWith(path(), rule.fieldSteps) });
    if (error !== undefined) errors.push(error);
    if (budget.isSpent) break;
  }
  return errors;
}

function errorOf(outcome: Outcome, { self, path }: { self: JsonValue; path: () => string }): FieldError | undefined {
  switch (outcome.kind) {
    case "valid":
      return undefined;
    case "failure":
      return { kind: KINDS[outcome.reason], path: path(), value: shown(self), detail: outcome.message };
    case "error":
      return { kind: "Invalid", path: path(), value: shown(self), detail: outcome.message };
  }
}

const KINDS: Readonly<Record<Reason, FieldError["kind"]>> = {
  FieldValueInvalid: "Invalid",
  FieldValueRequired: "Required",
  FieldValueForbidden: "Forbidden",
  FieldValueDuplicate: "Duplicate",
};

/** Of objects and lists, only what they are. */
function shown(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return "array";
  return isObject(value) ? "object" : value;
}
