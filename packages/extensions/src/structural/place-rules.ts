// Where the walker asks rules that a schema has written in an expression language. What such a rule is, only its language knows.
import type { FieldError } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";

/** Of one server, or of one definition. */
export interface RuleLanguage {
  /**
   * Asked once for each node that has rules, when the first value comes to it.
   * @param node of the schema: its rules, and what its value is made of
   * @returns undefined where there is nothing to ask of values
   */
  compile(node: JsonObject, place: RulePlace): PlaceRules | undefined;
  /** Compiles all rules of a schema before values come, in steps between which the event loop may have its turn. */
  preparing(schema: JsonObject): Generator<undefined, void>;
  /** What all rules of one object may spend together: made for each object, and handed to each of its rules. */
  budget(): RuleBudget;
}

export interface RulePlace {
  /** An object with a kind and metadata of its own, the root or one within: rules may read the names in it that the schema does not say. */
  readonly isResource: boolean;
}

/** The rest of it is known to the language alone. */
export interface RuleBudget {
  /** Cost units so far. */
  readonly spent: number;
}

export interface PlaceRules {
  /**
   * Whether values of this place break rules. Never throws for what a definition or an object brings.
   * @param old the value before, where it is known which one that is: through fields, keys of maps and items of lists with keys
   * @param path of the value, spelled when asked for
   */
  errors(self: JsonValue, old: JsonValue | undefined, path: () => string, budget: RuleBudget): readonly FieldError[];
}
