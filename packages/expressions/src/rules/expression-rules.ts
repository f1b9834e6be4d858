// Runs the validation rules of a definition for the schema walker: location by location, with one budget per object.
import type { FieldError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { ObjectBudget } from "../cost/budget";
import { CompiledRule, type Outcome } from "./compiled-rule";
import { DefinitionPlaces } from "./place-rules";
import { pathWith } from "./rule-path";
import type { Reason } from "./rule-text";

interface Question {
  readonly self: JsonValue;
  /** The old value, when it can be correlated. */
  readonly old: JsonValue | undefined;
  /** Returns the path of the value; called only for errors. */
  readonly path: () => string;
  /** Set when violations by an unchanged value are tolerated, except for those of rules that use the old value. */
  readonly ratchet?: {
    readonly isUnchanged: () => boolean;
    readonly tolerated: (error: FieldError) => void;
  };
}

/** Rules of one location in a schema. */
export interface RulesAtLocation {
  /** Returns the violations by a value. Does not throw for any definition or object. */
  errors(question: Question, budget: ObjectBudget): readonly FieldError[];
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
    return { errors: (question, budget) => errorsOf(rules, question, budget) };
  }
}

function errorsOf(
  rules: readonly (CompiledRule | string)[],
  { self, old, path, ratchet }: Question,
  budget: ObjectBudget,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  // An exhausted budget is reported once, by the rule that exhausted it.
  if (self === null || budget.isSpent) return errors;
  for (const rule of rules) {
    if (typeof rule === "string") {
      errors.push({ kind: "Invalid", path: path(), value: shown(self), detail: rule });
      continue;
    }
    const outcome = rule.evaluate(self, old, budget);
    const error = errorOf(outcome, { self, path: () => pathWith(path(), rule.fieldSteps) });
    if (error === undefined) continue;
    if (outcome.kind === "failure" && !rule.usesOldSelf && ratchet?.isUnchanged() === true) ratchet.tolerated(error);
    else errors.push(error);
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
