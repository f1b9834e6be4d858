// A validation rule of a schema: type-checked at its location, with its cost estimate, and compiled. Source:
// "Validation rules" in the Kubernetes documentation of CustomResourceDefinitions.
import type { JsonObject, JsonValue } from "@orch/schema";
import { Budget, type ObjectBudget } from "../cost/budget";
import type { Extent } from "../cost/extent";
import { programOf } from "../evaluation/program";
import type { Step } from "../evaluation/step";
import { tellCompiled } from "../evaluation/timings";
import { type ExpressionLimit, functionsFor, LIBRARY } from "../functions/library";
import type { SchemaType } from "../schema/schema-type";
import { ExpressionError } from "../syntax/expression-error";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import { estimateOf } from "../typing/cost-estimate";
import type { Checked } from "../typing/environment";
import { type CelType, optionalOf } from "../values/cel-type";
import { type CelValue, OptionalValue } from "../values/cel-value";
import { BudgetExceeded, EvaluationError } from "../values/evaluation-error";
import { fieldSteps } from "./rule-path";
import { DEFAULT_REASON, isReason, type Reason, type RuleText } from "./rule-text";

/** A compilation error: the invalid part of the rule, and the reason. */
export interface RuleProblem {
  readonly part: "rule" | "messageExpression" | "fieldPath" | "optionalOldSelf";
  readonly message: string;
}

export type Outcome =
  | { readonly kind: "valid" }
  /** The rule evaluated to false. */
  | { readonly kind: "failure"; readonly reason: Reason; readonly message: string }
  /** The rule failed with an error. When the budget is exceeded, no further rule of the object may run. */
  | { readonly kind: "error"; readonly message: string; readonly isBudget: boolean };

const VALID: Outcome = { kind: "valid" };
/**
 * Maximum length of a message from a messageExpression. Source: MaxEvaluatedMessageExpressionSizeBytes in
 * staging/src/k8s.io/apiserver/pkg/apis/cel/config.go.
 */
const MESSAGE_MAX = 5 * 1024;

/** Location of a rule: the schema and type of `self` and `oldSelf`. */
export interface RuleSite {
  readonly schema: JsonObject;
  readonly self: SchemaType;
  /** Absent: expressions may use all functions. */
  readonly limit?: ExpressionLimit | undefined;
}

/**
 * Compiles a rule.
 * @returns the rule, or all its errors
 */
export function compileRule(place: RuleSite, text: RuleText): CompiledRule | readonly RuleProblem[] {
  const steps = ruleSteps(place, text);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Compiles a rule in steps of similar length, because the longest expressions take tens of milliseconds. */
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
  const { fieldPath = "" } = text;
  const steps = fieldPath === "" ? [] : fieldSteps(fieldPath, place.schema);
  if (steps === undefined) problems.push({ part: "fieldPath", message: "must be a valid path" });
  if (rule?.usesOldSelf !== true && text.optionalOldSelf !== undefined) {
    problems.push({ part: "optionalOldSelf", message: "may not be set if oldSelf is not used in rule" });
  }
  if (rule === undefined || problems.length > 0) return problems;
  return new CompiledRule({ text, self: place.self, rule, message, steps: steps ?? [] });
}

interface Compiled {
  readonly checked: Checked;
  readonly program: Step;
  readonly usesOldSelf: boolean;
  /** Maximum cost units. */
  readonly cost: number;
}

/** Maximum characters of an expression that is compiled in one step. */
const SHORT = 1000;

const SELF = "self";
const OLD_SELF = "oldSelf";
const VARIABLES = [SELF, OLD_SELF];

/**
 * Compiles an expression. The caller may yield to the event loop before each step.
 * @returns an error text when it does not compile
 */
function* expressionSteps(
  source: string,
  { self, limit }: RuleSite,
  isOptional: boolean,
): Generator<undefined, Compiled | string> {
  const variables = new Map<string, CelType>([
    [SELF, self.type],
    [OLD_SELF, isOptional ? optionalOf(self.type) : self.type],
  ]);
  const extents = new Map<string, Extent>(VARIABLES.map((name) => [name, self.extent]));
  try {
    yield;
    const sinceMs = performance.now();
    const expression = parseExpression(source);
    if (source.length > SHORT) yield;
    const checked = check(source, expression, {
      functions: functionsFor(LIBRARY, source, limit),
      variables,
      literals: "ofOneType",
      mode: "checked",
    });
    if (source.length > SHORT) yield;
    const program = programOf(checked, VARIABLES);
    tellCompiled(sinceMs);
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
  /** Whether the rule runs only when there is an old value. */
  readonly isTransition: boolean;
  readonly usesOldSelf: boolean;
  /** Maximum cost units of one run, derived from the schema. */
  readonly estimatedCost: number;
  readonly estimatedMessageCost: number;
  /** Path below the value at which failures are reported. */
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
   * Evaluates the rule. Does not throw for any rule or object.
   * @param oldSelf undefined when there is no old value; a transition rule is then skipped, as is any rule on null
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

  /** Name of the rule in errors: its message, if set, otherwise its expression. */
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
