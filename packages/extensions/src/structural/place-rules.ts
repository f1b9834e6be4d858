// Interface between the schema walk and the language of validation rules. The walk knows nothing else of the rules.
import type { FieldError } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";

/** Rule language of a server or of a definition. */
export interface RuleLanguage {
  /**
   * Compiles the rules of a node. Called once per node, when the first value reaches it.
   * @param node schema node with its rules and the schema of its value
   * @returns undefined when there is nothing to evaluate
   */
  compile(node: JsonObject, place: RulePlace): PlaceRules | undefined;
  /** Compiles all rules of a schema in advance, in steps between which the event loop can run. */
  preparing(schema: JsonObject): Generator<undefined, void>;
  /** Returns a budget for all rules of one object. It is passed to each rule. */
  budget(): RuleBudget;
}

interface RulePlace {
  /**
   * The node is an object with its own kind and metadata, the root or an embedded resource: rules may access the
   * metadata fields that the schema does not declare.
   */
  readonly isResource: boolean;
}

/** Budget of an object's rules. Only the language knows its further content. */
export interface RuleBudget {
  /** Cost units used so far. */
  readonly spent: number;
}

export interface RuleQuestion {
  readonly self: JsonValue;
  /** The previous value, when it can be correlated: through fields, map keys and the items of lists of type map. */
  readonly old: JsonValue | undefined;
  /** Returns the path of the value; called only for errors. */
  readonly path: () => string;
  /** Set when violations by an unchanged value are tolerated, except for those of rules about the change. */
  readonly ratchet?: {
    readonly isUnchanged: () => boolean;
    readonly tolerated: (error: FieldError) => void;
  };
}

export interface PlaceRules {
  /** Evaluates the rules for a value. Never throws for any definition or object. */
  errors(question: RuleQuestion, budget: RuleBudget): readonly FieldError[];
}
