// An expression about a request to change something: the objects have any shape, what the server brings has types of its own, and what is
// not there yet, or takes long, is waited for between two runs.
import { Budget, ObjectBudget } from "./evaluation/budget";
import { BudgetExceeded, EvaluationError } from "./evaluation/evaluation-error";
import { PendingValue } from "./evaluation/pending-value";
import { programOf } from "./evaluation/program";
import type { Step } from "./evaluation/step";
import { ExpressionError } from "./expression-error";
import { REQUEST_LIBRARY } from "./functions/library";
import { parseExpression } from "./syntax/parser";
import { type CelType, typeText } from "./typing/cel-type";
import { check } from "./typing/checker";
import type { StructDeclaration } from "./typing/environment";
import { CelMap, type CelValue } from "./values/cel-value";

export interface RequestSite {
  /** In the order in which an evaluation is given their values. Names may have dots. */
  readonly variables: readonly { readonly name: string; readonly type: CelType }[];
  readonly structs?: (typeName: string) => StructDeclaration | undefined;
  /** Of what type its value must be, one of these; absent: of any. */
  readonly results?: readonly CelType[];
  /** Whether a value whose type cannot be told before it runs will do. */
  readonly takesAny?: boolean;
}

export type RequestOutcome =
  | { readonly kind: "value"; readonly value: CelValue }
  | { readonly kind: "error"; readonly message: string }
  /** It, or all over one request together, cost more than is allowed. */
  | { readonly kind: "exhausted"; readonly scope: "expression" | "object" }
  /** To be evaluated again when that has resolved. */
  | { readonly kind: "pending"; readonly arrive: () => Promise<void> };

/** Characters of an expression that is compiled in one step. */
const SHORT = 1000;

/** Before each step the event loop may have its turn. @returns text: why it does not compile */
export function* requestExpressionSteps(
  source: string,
  { variables, structs, results, takesAny = false }: RequestSite,
): Generator<undefined, RequestExpression | string> {
  try {
    yield;
    const expression = parseExpression(source);
    if (source.length > SHORT) yield;
    const checked = check(source, expression, {
      functions: REQUEST_LIBRARY,
      variables: new Map(variables.map(({ name, type }) => [name, type])),
      ...(structs && { structs }),
      literals: "ofOneType",
      mode: "checked",
    });
    if (source.length > SHORT) yield;
    const { type } = checked;
    if (results !== undefined && !(takesAny && type.kind === "dyn")) {
      const texts = results.map(typeText);
      const isEmptyList =
        type.kind === "list" && type.item.kind === "dyn" && results.some(({ kind }) => kind === "list");
      if (!texts.includes(typeText(type)) && !isEmptyList)
        return texts.length === 1 ? `must evaluate to ${texts[0]}` : `must evaluate to one of [${texts.join(" ")}]`;
    }
    const program = programOf(
      checked,
      variables.map(({ name }) => name),
    );
    return new RequestExpression(source, type, program);
  } catch (error) {
    if (error instanceof ExpressionError) return `compilation failed: ${error.message}`;
    throw error;
  }
}

export function compileRequestExpression(source: string, site: RequestSite): RequestExpression | string {
  const steps = requestExpressionSteps(source, site);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** What most expressions come to. */
const HOLDS: RequestOutcome = { kind: "value", value: true };

export class RequestExpression {
  constructor(
    readonly source: string,
    readonly type: CelType,
    readonly program: Step,
  ) {}

  /** Never throws for what an expression or a value brings. @param values in the order of the site's variables */
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

/** Cost of all expressions over one request. No bound on the work beside: whoever asks gives the event loop its turns between two of them. */
export const requestBudget = (costMax: number): ObjectBudget =>
  new ObjectBudget({ costMax, workMax: Number.POSITIVE_INFINITY });

/** Units that values which are made in the midst of another expression may cost together: about 5 ms. */
const INLINE_COST_MAX = 100_000;

type Made = { readonly value: CelValue } | { readonly error: EvaluationError | BudgetExceeded };

/** Values by name, each made when it is first asked for, and once. */
export class LazyValues extends CelMap {
  private readonly made = new Map<string, Made>();
  private inlineLeft = INLINE_COST_MAX;

  /**
   * @param expressions in the order in which they may use one another; text: why one does not compile
   * @param values what they are given, in the order of their sites' variables: this among them
   * @param turn gives the event loop its turn
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

  /** @throws EvaluationError, BudgetExceeded what its making has thrown; PendingValue */
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
        // It may cost more than there was room for here.
        throw new PendingValue(() => this.make(name, expression));
      case "value":
      case "error":
        this.inlineLeft = Math.max(0, this.inlineLeft - inline.work);
        this.budget.spent += inline.spent;
        this.budget.work += inline.work;
        return this.keep(
          name,
          outcome.kind === "value" ? { value: outcome.value } : { error: new EvaluationError(outcome.message) },
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
          this.keep(name, { error: new EvaluationError(outcome.message) });
          return;
      }
    }
  }

  private keep(name: string, made: Made): Made {
    this.made.set(name, made);
    return made;
  }
}
