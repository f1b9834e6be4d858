// Runs the validation rules of a definition for the schema walker: location by location, with one budget per object.
import type { FieldError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { ObjectBudget } from "../cost/budget";
import { CompiledRule, type Outcome } from "./compiled-rule";
import { DefinitionPlaces } from "./place-rules";
import { pathWith } from "./rule-path";
import type { Reason } from "./rule-text";

/** Rules of one location in a schema. */
export interface RulesAtLocation {
  /**
   * Returns the violations by a value. Does not throw for any definition or object.
   * @param old the old value, when it can be correlated
   * @param path returns the path of the value; called only for errors
   */
  errors(self: JsonValue, old: JsonValue | undefined, path: () => string, budget: ObjectBudget): readonly FieldError[];
}

/** Validation rules of one version of a definition. */
export class ExpressionRules {
  private readonly places: DefinitionPlaces;

  /** @param places compiled rules of the same schema, if it was compiled before */
  constructor(vocabulary: Vocabulary, places = new DefinitionPlaces(vocabulary)) {
    this.places = places;
  }

  /** Creates the budget of one object, shared by all its locations. */
  budget(): ObjectBudget {
    return new ObjectBudget();
  }

  /** Compiles all rules of a schema in steps. */
  preparing(schema: JsonObject): Generator<undefined, void> {
    return this.places.preparing(schema);
  }

  /**
   * Compiles the rules of a location.
   * @returns undefined for a location without rules
   */
  compile(node: JsonObject, { isResource }: { readonly isResource: boolean }): RulesAtLocation | undefined {
    const place = this.places.at(node, isResource);
    if (place === undefined) return undefined;
    // A definition whose rules do not compile is refused on write. One that another server stored causes an error for
    // each object.
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
  // An exhausted budget is reported once, by the rule that exhausted it.
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

/** Returns the value for an error message; objects and lists are replaced by the name of their type. */
function shown(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return "array";
  return isObject(value) ? "object" : value;
}
