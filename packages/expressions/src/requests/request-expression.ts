// Expressions over requests, such as those of admission policies: objects may have any shape, the server's variables
// are typed, and the evaluation is repeated after waiting for values that are not available yet or take long.
import { Budget, ObjectBudget } from "../cost/budget";
import { programOf } from "../evaluation/program";
import type { Step } from "../evaluation/step";
import { tellCompiled } from "../evaluation/timings";
import { type ExpressionLimit, functionsFor, REQUEST_LIBRARY } from "../functions/library";
import { ExpressionError } from "../syntax/expression-error";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import type { StructDeclaration } from "../typing/environment";
import { type CelType, typeText } from "../values/cel-type";
import { CelMap, type CelValue } from "../values/cel-value";
import { BudgetExceeded, EvaluationError, PendingValue } from "../values/evaluation-error";

export interface RequestSite {
  /** Variables, in the order of their values in an evaluation. Names may contain dots. */
  readonly variables: readonly { readonly name: string; readonly type: CelType }[];
  readonly structs?: (typeName: string) => StructDeclaration | undefined;
  /** Allowed types of the result; absent: any. */
  readonly results?: readonly CelType[];
  /** Whether a result is accepted whose type is not known at compile time. */
  readonly takesAny?: boolean;
  /** Absent: expressions may use all functions. */
  readonly limit?: ExpressionLimit | undefined;
}

export type RequestOutcome =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string }
  /** The expression, or all expressions over the request together, exceeded the cost limit. */
  | { readonly kind: "exhausted"; readonly scope: "expression" | "object" }
  /** The evaluation must be repeated after `arrive` has resolved. */
  | { readonly kind: "pending"; readonly arrive: () => Promise<void> };

/** Maximum characters of an expression that is compiled in one step. */
const SHORT = 1000;

/**
 * Compiles an expression. The caller may yield to the event loop before each step.
 * @returns an error text when it does not compile
 */
export function* requestExpressionSteps(
  source: string,
  { variables, structs, results, takesAny = false, limit }: RequestSite,
): Generator<undefined, RequestExpression | string> {
  try {
    yield;
    const sinceMs = performance.now();
    const expression = parseExpression(source);
    if (source.length > SHORT) yield;
    const functions = functionsFor(REQUEST_LIBRARY, source, limit);
    const checked = check(source, expression, {
      functions,
      variables: new Map(variables.map(({ name, type }) => [name, type])),
      ...(structs && { structs }),
      literals: "ofOneType",
      mode: "checked",
    });
    if (source.length > SHORT) yield;
    const { type } = checked;
    if (results !== undefined && !(takesAny && type.kind === "dyn")) {
      const texts = results.map(resultText);
      const found = resultText(type);
      const isEmptyList =
        functions.hasAdditions && found === "list(dyn)" && results.some(({ kind }) => kind === "list");
      if (!texts.includes(found) && !isEmptyList)
        return `must evaluate to ${texts.length === 1 ? texts[0] : `one of [${texts.join(" ")}]`} but got ${found}`;
    }
    const program = programOf(
      checked,
      variables.map(({ name }) => name),
    );
    tellCompiled(sinceMs);
    return new RequestExpression(source, type, program);
  } catch (error) {
    if (error instanceof ExpressionError) return `compilation failed: ${error.message}`;
    throw error;
  }
}

/** Returns the text of a type as cel-go names it in messages about results. */
const resultText = (type: CelType): string => typeText(type).replace(/\bnull\b/g, "null_type");

export function compileRequestExpression(source: string, site: RequestSite): RequestExpression | string {
  const steps = requestExpressionSteps(source, site);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The most frequent result. */
const HOLDS: RequestOutcome = { kind: "value", value: true };

export class RequestExpression {
  constructor(
    readonly source: string,
    readonly type: CelType,
    readonly program: Step,
  ) {}

  /**
   * Evaluates the expression. Does not throw for any expression or value.
   * @param values in the order of the site's variables
   */
  evaluate(values: readonly CelValue[], object: ObjectBudget): RequestOutcome {
    const budget = new Budget(object);
    try {
      const value = this.program({ slots: values.slice(), budget });
      return value === true ? HOLDS : { kind: "value", value };
    } catch (error) {
      if (error instanceof EvaluationError) return { kind: "error", message: error.message };
      if (error instanceof BudgetExceeded) return { kind: "exhausted", scope: error.scope };
      if (error instanceof PendingValue) return { kind: "pending", arrive: error.arrive };
      throw error;
    } finally {
      budget.close();
    }
  }
}

/**
 * Creates a budget for the expressions over one request. It does not limit the work, because the caller yields to the
 * event loop between expressions.
 */
export const requestBudget = (costMax: number): ObjectBudget =>
  new ObjectBudget({ costMax, workMax: Number.POSITIVE_INFINITY });

/** Maximum cost of lazy values that are computed within another expression, together: about 5 ms. */
const INLINE_COST_MAX = 100_000;

type Made = { readonly value: CelValue } | { readonly error: EvaluationError | BudgetExceeded };

const composited = (name: string, message: string): EvaluationError =>
  new EvaluationError(`composited variable "${name}" fails to evaluate: ${message}`);

/** Values by name, such as the variables of an admission policy. Each is computed once, when it is first read. */
export class LazyValues extends CelMap {
  private readonly made = new Map<string, Made>();
  private inlineLeft = INLINE_COST_MAX;

  /**
   * @param expressions in the order in which they may refer to each other; a text is the error of one that does not
   * compile
   * @param values returns the variables' values in the order of their sites, including this map
   * @param turn yields to the event loop
   */
  constructor(
    private readonly expressions: ReadonlyMap<string, RequestExpression | string>,
    private readonly values: () => readonly CelValue[],
    private readonly budget: ObjectBudget,
    private readonly turn: () => Promise<void>,
  ) {
    super();
  }

  get size(): number {
    return this.expressions.size;
  }

  has(key: CelValue): boolean {
    return typeof key === "string" && this.expressions.has(key);
  }

  keys(): readonly string[] {
    return [...this.expressions.keys()];
  }

  /**
   * Returns a value, and computes it if necessary.
   * @throws EvaluationError, BudgetExceeded when its computation failed; PendingValue when it must be awaited
   */
  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.made.get(key) ?? this.makeInline(key);
    if (known === undefined) return undefined;
    if ("error" in known) throw known.error;
    return known.value;
  }

  private makeInline(name: string): Made | undefined {
    const expression = this.expressions.get(name);
    if (expression === undefined) return undefined;
    if (typeof expression === "string") return this.keep(name, { error: new EvaluationError(expression) });
    const allowed = Math.min(this.inlineLeft, this.budget.costLeft);
    const inline = new ObjectBudget({ costMax: allowed, workMax: this.inlineLeft });
    const outcome = expression.evaluate(this.values(), inline);
    switch (outcome.kind) {
      case "pending":
        throw new PendingValue(outcome.arrive);
      case "exhausted":
        // The expression exceeded only the limit for inline computation.
        throw new PendingValue(() => this.make(name, expression));
      case "value":
      case "error":
        this.inlineLeft = Math.max(0, this.inlineLeft - inline.work);
        this.budget.spent += inline.spent;
        this.budget.work += inline.work;
        return this.keep(
          name,
          outcome.kind === "value" ? { value: outcome.value } : { error: composited(name, outcome.message) },
        );
    }
  }

  private async make(name: string, expression: RequestExpression): Promise<void> {
    for (;;) {
      await this.turn();
      this.inlineLeft = INLINE_COST_MAX;
      const outcome = expression.evaluate(this.values(), this.budget);
      switch (outcome.kind) {
        case "pending":
          await outcome.arrive();
          continue;
        case "exhausted":
          this.keep(name, { error: new BudgetExceeded(outcome.scope) });
          return;
        case "value":
          this.keep(name, { value: outcome.value });
          return;
        case "error":
          this.keep(name, { error: composited(name, outcome.message) });
          return;
      }
    }
  }

  private keep(name: string, made: Made): Made {
    this.made.set(name, made);
    return made;
  }
}
