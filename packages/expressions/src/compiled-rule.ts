// One validation rule of a schema: checked against the types of its place, with what it may cost, and ready to run.
import type { JsonObject, JsonValue } from "@orch/schema";
import { estimateOf } from "./cost/estimate";
import type { Extent } from "./cost/extent";
import { Budget, type ObjectBudget } from "./evaluation/budget";
import { BudgetExceeded, EvaluationError } from "./evaluation/evaluation-error";
import { programOf } from "./evaluation/program";
import type { Step } from "./evaluation/step";
import { ExpressionError } from "./expression-error";
import { LIBRARY } from "./functions/library";
import { fieldSteps } from "./rule-path";
import { DEFAULT_REASON, isReason, type Reason, type RuleText } from "./rule-text";
import type { SchemaType } from "./schema/schema-type";
import { parseExpression } from "./syntax/parser";
import { type CelType, optionalOf } from "./typing/cel-type";
import { check } from "./typing/checker";
import type { Checked } from "./typing/environment";
import { type CelValue, OptionalValue } from "./values/cel-value";

/** Why a rule cannot be compiled: which part of it is wrong, and what is. */
export interface RuleProblem {
  readonly part: "rule" | "messageExpression" | "fieldPath" | "optionalOldSelf";
  readonly message: string;
}

export type Outcome =
  | { readonly kind: "valid" }
  /** The rule says no. */
  | { readonly kind: "failure"; readonly reason: Reason; readonly message: string }
  /** The rule could not say; no further rule of the object may run where the budget ran out. */
  | { readonly kind: "error"; readonly message: string; readonly isBudget: boolean };

const VALID: Outcome = { kind: "valid" };
/** Of a message that an expression made. Source: the field's limit. */
const MESSAGE_MAX = 5 * 1024;

/** Where a rule stands: what `self` and `oldSelf` are. */
export interface RuleSite {
  readonly schema: JsonObject;
  readonly self: SchemaType;
}

/** @returns the rule, or everything that is wrong with it */
export function compileRule(place: RuleSite, text: RuleText): CompiledRule | readonly RuleProblem[] {
  const steps = ruleSteps(place, text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same in steps, about as long as one another: the longest expressions take tens of milliseconds. */
export function* ruleSteps(
  place: RuleSite,
  text: RuleText,
): Generator<undefined, CompiledRule | readonly RuleProblem[]> {
  const problems: RuleProblem[] = [];
  function* compile(
    part: "rule" | "messageExpression",
    expected: "bool" | "string",
  ): Generator<undefined, Compiled | undefined> {
    const source = (text[part] ?? "").trim();
    if (source === "") return undefined;
    const compiled = yield* expressionSteps(source, place, text.optionalOldSelf === true);
    if (typeof compiled === "string") {
      problems.push({ part, message: part === "rule" ? compiled : `messageExpression ${compiled}` });
      return undefined;
    }
    const { kind } = compiled.checked.type;
    if (kind === expected || kind === "dyn") return compiled;
    const message =
      part === "rule" ? "cel expression must evaluate to a bool" : "messageExpression must evaluate to a string";
    problems.push({ part, message });
    return undefined;
  }
  const rule = yield* compile("rule", "bool");
  const message = yield* compile("messageExpression", "string");
  const steps = text.fieldPath === undefined ? [] : fieldSteps(text.fieldPath.trim(), place.schema);
  if (steps === undefined) problems.push({ part: "fieldPath", message: "fieldPath must be a valid path" });
  if (rule !== undefined && !rule.usesOldSelf && text.optionalOldSelf !== undefined) {
    problems.push({ part: "optionalOldSelf", message: "may not be set if oldSelf is not used in rule" });
  }
  if (rule === undefined || problems.length > 0) return problems;
  return new CompiledRule({ text, self: place.self, rule, message, steps: steps ?? [] });
}

interface Compiled {
  readonly checked: Checked;
  readonly program: Step;
  readonly usesOldSelf: boolean;
  /** Cost units, at most. */
  readonly cost: number;
}

/** Characters of an expression that is compiled in one step. */
const SHORT = 1000;

const SELF = "self";
const OLD_SELF = "oldSelf";
const VARIABLES = [SELF, OLD_SELF];

/** Before each step the event loop may have its turn. @returns text: why it does not compile */
function* expressionSteps(
  source: string,
  { self }: RuleSite,
  isOptional: boolean,
): Generator<undefined, Compiled | string> {
  const variables = new Map<string, CelType>([
    [SELF, self.type],
    [OLD_SELF, isOptional ? optionalOf(self.type) : self.type],
  ]);
  const extents = new Map<string, Extent>(VARIABLES.map((name) => [name, self.extent]));
  try {
    yield;
    const expression = parseExpression(source);
    if (source.length > SHORT) yield;
    const checked = check(source, expression, {
      functions: LIBRARY,
      variables,
      literals: "ofOneType",
      mode: "checked",
    });
    if (source.length > SHORT) yield;
    const program = programOf(checked, VARIABLES);
    if (source.length > SHORT) yield;
    const cost = estimateOf(checked, extents).max;
    return { checked, program, usesOldSelf: checked.variables.has(OLD_SELF), cost };
  } catch (error) {
    if (error instanceof ExpressionError) return `compilation failed: ${error.message}`;
    throw error;
  }
}

export class CompiledRule {
  readonly text: RuleText;
  /** Whether it is asked only when there is a value before. */
  readonly isTransition: boolean;
  readonly usesOldSelf: boolean;
  /** Cost units of one run, at most, by what the schema allows. */
  readonly estimatedCost: number;
  readonly estimatedMessageCost: number;
  /** Where its failures are reported, below the value. */
  readonly fieldSteps: NonNullable<ReturnType<typeof fieldSteps>>;
  private readonly self: SchemaType;
  private readonly rule: Step;
  private readonly message: Step | undefined;

  constructor(of: {
    readonly text: RuleText;
    readonly self: SchemaType;
    readonly rule: Compiled;
    readonly message: Compiled | undefined;
    readonly steps: NonNullable<ReturnType<typeof fieldSteps>>;
  }) {
    this.text = of.text;
    this.self = of.self;
    this.rule = of.rule.program;
    this.message = of.message?.program;
    this.usesOldSelf = of.rule.usesOldSelf || of.message?.usesOldSelf === true;
    this.isTransition = this.usesOldSelf && of.text.optionalOldSelf !== true;
    this.estimatedCost = of.rule.cost;
    this.estimatedMessageCost = of.message?.cost ?? 0;
    this.fieldSteps = of.steps;
  }

  /**
   * Never throws for what a rule or an object brings.
   * @param oldSelf undefined where there is no value before; a transition rule is then not asked, nor is any of null
   */
  evaluate(self: JsonValue, oldSelf: JsonValue | undefined, budget: ObjectBudget): Outcome {
    if (self === null || (this.isTransition && (oldSelf ?? null) === null)) return VALID;
    if (budget.isSpent) return OUT_OF_BUDGET;
    const made = this.run(this.rule, { self, oldSelf }, budget);
    if (made === true) return VALID;
    if (made === false) return this.failure({ self, oldSelf }, budget);
    if (made instanceof BudgetExceeded) return this.stopped(made, budget);
    return this.error(made instanceof EvaluationError ? made.message : "no such overload");
  }

  private run(
    program: Step,
    { self, oldSelf }: Values,
    object: ObjectBudget,
  ): CelValue | EvaluationError | BudgetExceeded {
    const budget = new Budget(object);
    try {
      const slots: CelValue[] = [this.self.adapt(self)];
      if (this.usesOldSelf) slots.push(this.old(oldSelf));
      return program({ slots, budget });
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetExceeded) return error;
      throw error;
    } finally {
      budget.close();
    }
  }

  private old(json: JsonValue | undefined): CelValue {
    if (this.text.optionalOldSelf !== true) return json === undefined ? null : this.self.adapt(json);
    return json === undefined || json === null ? OptionalValue.NONE : OptionalValue.of(this.self.adapt(json));
  }

  private failure(values: Values, budget: ObjectBudget): Outcome {
    const { reason = DEFAULT_REASON, message = "" } = this.text;
    const made = this.message === undefined ? undefined : this.run(this.message, values, budget);
    if (made instanceof BudgetExceeded) return this.stopped(made, budget);
    const usable = typeof made === "string" && made.trim() !== "" && made.length <= MESSAGE_MAX && !/[\n\r]/.test(made);
    const said = usable ? made.trim() : message.trim();
    return {
      kind: "failure",
      reason: isReason(reason) ? reason : DEFAULT_REASON,
      message: said === "" ? `failed rule: ${this.text.rule.trim()}` : said,
    };
  }

  private stopped(exceeded: BudgetExceeded, budget: ObjectBudget): Outcome {
    budget.spend();
    if (exceeded.scope === "object") return OUT_OF_BUDGET;
    const why = `'${exceeded.message}': no further validation rules will be run due to call cost exceeds limit for rule`;
    return { kind: "error", isBudget: true, message: `${why}: ${this.named}` };
  }

  /** How errors speak of it: whoever has written it a message knows it by that. */
  private get named(): string {
    const { message = "", rule } = this.text;
    return message === "" ? rule.trim() : message.trim();
  }

  private error(message: string): Outcome {
    const text = message.startsWith("no such overload")
      ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${this.named}`
      : `${message} evaluating rule: ${this.named}`;
    return { kind: "error", isBudget: false, message: text };
  }
}

interface Values {
  readonly self: JsonValue;
  readonly oldSelf: JsonValue | undefined;
}

const OUT_OF_BUDGET: Outcome = {
  kind: "error",
  isBudget: true,
  message: "validation failed due to running out of cost budget, no further validation rules will be run",
};
