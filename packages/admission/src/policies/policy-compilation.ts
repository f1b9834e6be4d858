// Compiles the expressions of a policy in the order in which they may refer to each other, in small steps.
import {
  BOOL,
  type CelType,
  DYN,
  type ExpressionLimit,
  listOf,
  NULL,
  opaqueOf,
  PromptExpressions,
  type RequestExpression,
  type RequestSite,
  requestExpressionSteps,
  STRING,
} from "@orch/expressions";
import type { Vocabulary } from "@orch/schema";
import type { MutatingPolicySpec, PolicySpec, ValidatingPolicySpec } from "./policy-objects";
import { type KnownTypes, mutationStructs, policySite, unknownTypes } from "./policy-site";

/** Text: the compilation error. */
export type Compiled = RequestExpression | string;

export interface NamedExpression {
  readonly name: string;
  readonly source: string;
  readonly compiled: Compiled;
}

export interface CompiledValidation {
  readonly source: string;
  readonly compiled: Compiled;
  readonly message: string;
  readonly messageExpression: Compiled | undefined;
  readonly reason: string | undefined;
}

export interface CompiledMutation {
  readonly kind: "ApplyConfiguration" | "JSONPatch";
  readonly source: string;
  readonly compiled: Compiled;
}

export interface CompiledPolicy {
  readonly conditions: readonly NamedExpression[];
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly NamedExpression[];
  readonly mutations: readonly CompiledMutation[];
  /** All expressions, when there are only validations and all of them compile. */
  readonly prompt: PromptExpressions | undefined;
}

export interface CompilationParts {
  readonly vocabulary: Vocabulary;
  /** Absent: dynamic types. */
  readonly types?: KnownTypes;
  /** Absent: expressions may use all functions. */
  readonly limit?: ExpressionLimit | undefined;
}

type AnySpec = PolicySpec &
  Pick<ValidatingPolicySpec, "validations" | "auditAnnotations"> &
  Pick<MutatingPolicySpec, "mutations">;

export function* policySteps(
  spec: AnySpec,
  { vocabulary, types = unknownTypes(), limit }: CompilationParts,
): Generator<undefined, CompiledPolicy> {
  const hasParams = spec.paramKind !== undefined;
  const parts = { vocabulary, types, hasParams, hasAuthorizer: true };
  const known = new Map<string, CelType>();
  const before: RequestSite = { limit, variables: policySite(parts) };
  const inside: RequestSite = { limit, variables: policySite({ ...parts, variables: known }) };
  const speaking: RequestSite = { limit, variables: policySite({ ...parts, hasAuthorizer: false, variables: known }) };

  const conditions: NamedExpression[] = [];
  for (const { name = "", expression = "" } of spec.matchConditions ?? []) {
    const compiled = yield* requestExpressionSteps(expression, { ...before, results: [BOOL] });
    conditions.push({ name, source: expression, compiled });
  }
  const variables = new Map<string, Compiled>();
  for (const { name = "", expression = "" } of spec.variables ?? []) {
    const compiled = yield* requestExpressionSteps(expression, inside);
    variables.set(name, compiled);
    // A variable without an expression is not declared, and expressions that refer to it do not compile.
    if (expression.trim() !== "") known.set(name, typeof compiled === "string" ? DYN : compiled.type);
  }
  const validations: CompiledValidation[] = [];
  for (const { expression = "", message = "", messageExpression = "", reason } of spec.validations ?? []) {
    validations.push({
      source: expression,
      compiled: yield* requestExpressionSteps(expression, { ...inside, results: [BOOL] }),
      message,
      messageExpression:
        messageExpression === ""
          ? undefined
          : yield* requestExpressionSteps(messageExpression, { ...speaking, results: [STRING] }),
      reason: reason || undefined,
    });
  }
  const annotations: NamedExpression[] = [];
  for (const { key = "", valueExpression = "" } of spec.auditAnnotations ?? []) {
    const compiled = yield* requestExpressionSteps(valueExpression, { ...inside, results: [STRING, NULL] });
    annotations.push({ name: key, source: valueExpression, compiled });
  }
  const mutations: CompiledMutation[] = [];
  for (const { patchType: kind, applyConfiguration, jsonPatch } of spec.mutations ?? []) {
    const source = (kind === "JSONPatch" ? jsonPatch : applyConfiguration)?.expression ?? "";
    const results = kind === "JSONPatch" ? [listOf(opaqueOf("JSONPatch"))] : [opaqueOf("Object")];
    const compiled = yield* requestExpressionSteps(source, { ...inside, structs: mutationStructs, results });
    mutations.push({ kind, source, compiled });
  }
  const others = conditions.length + variables.size + annotations.length + mutations.length;
  const prompt = others === 0 ? promptOf(validations) : undefined;
  return { conditions, variables, validations, annotations, mutations, prompt };
}

function promptOf(validations: readonly CompiledValidation[]): PromptExpressions | undefined {
  const compiled = validations.flatMap((each) => (typeof each.compiled === "string" ? [] : [each.compiled]));
  return compiled.length === validations.length ? new PromptExpressions(compiled) : undefined;
}
