// Expressions over values that the server supplies, such as a request or the claims of a token: type-checked, with a
// cost limit, and compiled. Validation rules of schemas are in compiled-rule.ts.
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { Budget, ObjectBudget } from "../cost/budget";
import type { Extent } from "../cost/extent";
import { programOf } from "../evaluation/program";
import type { Step } from "../evaluation/step";
import { tellCompiled } from "../evaluation/timings";
import { type ExpressionLimit, functionsFor, LIBRARY } from "../functions/library";
import { type SchemaType, SchemaTypes } from "../schema/schema-type";
import { type Adapt, SchemaList, SchemaMap } from "../schema/schema-value";
import type { Expression } from "../syntax/expression";
import { ExpressionError } from "../syntax/expression-error";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import { estimateOf } from "../typing/cost-estimate";
import { type CelType, DYN, mapOf, STRING } from "../values/cel-type";
import type { CelValue } from "../values/cel-value";
import { BudgetExceeded, EvaluationError } from "../values/evaluation-error";
import { jsonOf } from "../values/json-of";

/** Type of a variable: a JSON schema, as in CustomResourceDefinitions, or an object with values of any type. */
export type VariableSchema = JsonObject | "anyObject";

export interface ExpressionSite {
  readonly vocabulary: Vocabulary;
  readonly variables: Readonly<Record<string, VariableSchema>>;
  /**
   * Allowed types of the result; absent: any. When the type is not known at compile time, it is checked at run time.
   */
  readonly results?: readonly ExpressionResult[];
  /** Absent: expressions may use all functions. */
  readonly limit?: ExpressionLimit | undefined;
}

export type ExpressionResult = "bool" | "string" | "list" | "map" | "null";

export type ExpressionOutcome =
  | { readonly kind: "value"; readonly value: JsonValue }
  /** The evaluation failed, or the result has another type. */
  | { readonly kind: "error"; readonly message: string };

/** Shared cost limit of the expressions over one request; see `ExpressionBudget`. */
export type ExpressionBudget = ObjectBudget;
/**
 * Creates a budget.
 * @param max cost units, and steps; default: the limits for an object
 */
export const expressionBudget = (max?: number): ExpressionBudget =>
  new ObjectBudget(max === undefined ? {} : { costMax: max, workMax: max });

/** Maximum characters of an expression; longer ones are refused without parsing. */
const EXPRESSION_MAX = 100 * 1024;

/**
 * Compiles an expression.
 * @returns an error text when it does not compile
 */
export function compileExpression(source: string, site: ExpressionSite): CompiledExpression | string {
  if (source.length > EXPRESSION_MAX) return `compilation failed: it has more than ${EXPRESSION_MAX} characters`;
  const types = new SchemaTypes(site.vocabulary.schemaExtensions);
  const variables = Object.entries(site.variables).map(([name, schema]) => [name, typeOf(schema, types)] as const);
  const sinceMs = performance.now();
  try {
    const checked = check(source, parseExpression(source), {
      functions: functionsFor(LIBRARY, source, site.limit),
      variables: new Map<string, CelType>(variables.map(([name, { type }]) => [name, type])),
      literals: "ofOneType",
      mode: "checked",
    });
    const { results } = site;
    if (
      results !== undefined &&
      checked.type.kind !== "dyn" &&
      !(results as readonly string[]).includes(checked.type.kind)
    )
      return `must evaluate to ${results.join(" or ")}`;
    const names = variables.map(([name]) => name);
    const program = programOf(checked, names);
    tellCompiled(sinceMs);
    return new CompiledExpression({
      source,
      expression: checked.expression,
      program,
      estimatedCost: estimateOf(checked, new Map(variables.map(([name, { extent }]) => [name, extent]))).max,
      variables: variables.map(([name, { adapt }]) => ({ name, adapt })),
      used: checked.variables,
      results,
    });
  } catch (error) {
    if (error instanceof ExpressionError) return `compilation failed: ${error.message}`;
    throw error;
  }
}

interface Parts {
  readonly source: string;
  readonly expression: Expression;
  readonly program: Step;
  readonly estimatedCost: number;
  readonly variables: readonly { readonly name: string; readonly adapt: Adapt }[];
  readonly used: ReadonlySet<string>;
  readonly results: readonly ExpressionResult[] | undefined;
}

export class CompiledExpression {
  constructor(private readonly parts: Parts) {}

  get source(): string {
    return this.parts.source;
  }

  /** Maximum cost units of one run, derived from the schemas; for "anyObject", from the size limit of a header. */
  get estimatedCost(): number {
    return this.parts.estimatedCost;
  }

  /** Reports whether the expression reads a member of a variable by name. */
  reads(variable: string, member: string): boolean {
    return readsMember(this.parts.expression, variable, member);
  }

  /** Reports whether the expression uses a variable. */
  uses(variable: string): boolean {
    return this.parts.used.has(variable);
  }

  /**
   * Evaluates the expression. Does not throw for any expression or value.
   * @param values by variable name; an absent one is null
   * @param budget shared by expressions over the same values; default: a separate one
   */
  evaluate(
    values: Readonly<Record<string, JsonValue>>,
    budget: ExpressionBudget = expressionBudget(),
  ): ExpressionOutcome {
    const run = new Budget(budget);
    try {
      const slots = this.parts.variables.map(({ name, adapt }) => adapt(values[name] ?? null));
      return this.outcome(this.parts.program({ slots, budget: run }), run);
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetExceeded)
        return { kind: "error", message: error.message };
      throw error;
    } finally {
      run.close();
    }
  }

  private outcome(made: CelValue, budget: Budget): ExpressionOutcome {
    const { results } = this.parts;
    const value = jsonOf(made, budget);
    if (
      value !== undefined &&
      (results === undefined || (results as readonly (string | undefined)[]).includes(resultOf(value)))
    )
      return { kind: "value", value };
    const expected = results === undefined ? "a value of JSON" : results.join(" or ");
    return { kind: "error", message: `it does not evaluate to ${expected}` };
  }
}

/** Finds `claims.email`, `claims.?email` or `claims["email"]`. */
function readsMember(part: unknown, variable: string, member: string): boolean {
  if (Array.isArray(part)) return part.some((each) => readsMember(each, variable, member));
  if (typeof part !== "object" || part === null) return false;
  const expression = part as Expression;
  const isVariable = (of: Expression | undefined) => of?.kind === "identifier" && of.name === variable;
  if (expression.kind === "select" && expression.field === member && isVariable(expression.operand)) return true;
  if (
    expression.kind === "call" &&
    expression.args.some((each) => each.kind === "literal" && each.value === member) &&
    [expression.target, ...expression.args].some(isVariable)
  )
    return true;
  return Object.values(expression).some((below) => readsMember(below, variable, member));
}

/** Maximum members, elements and characters of the content of a 16 KiB header, and of each value in it. */
const ANY_MAX = 6 * 1024;
const ANY_EXTENT: Extent = anyExtent();

function anyExtent(): Extent {
  const extent: { min: number; max: number; item?: Extent; key?: Extent } = { min: 0, max: ANY_MAX };
  extent.item = extent;
  extent.key = { min: 0, max: ANY_MAX };
  return extent;
}

function typeOf(schema: VariableSchema, types: SchemaTypes): Pick<SchemaType, "type" | "adapt" | "extent"> {
  if (schema === "anyObject") return { type: mapOf(STRING, DYN), adapt: anyValue, extent: ANY_EXTENT };
  const type = types.of(schema);
  if (type === undefined) throw new Error("a variable of an expression has no type");
  return type;
}

/** Adapts a JSON value; numbers are doubles, as in JSON. */
function anyValue(json: JsonValue): CelValue {
  if (Array.isArray(json)) return new SchemaList(json, anyValue, { kind: "atomic" });
  if (isObject(json)) return new SchemaMap(json, anyValue);
  if (json === null || typeof json === "string" || typeof json === "boolean") return json;
  return Number(json);
}

function resultOf(value: JsonValue): ExpressionResult | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (isObject(value)) return "map";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : undefined;
}
