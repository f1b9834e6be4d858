// Validation of policies: reports expressions that do not compile. The kinds' own validation has no access to CEL.
// Source: KEP-3488, "CEL for Admission Control".
import { newExpressionLimit } from "@orch/expressions";
import {
  type FieldError,
  field,
  ManyValuesError,
  type ResourceDefinition,
  sameJson,
  withAddedRules,
} from "@orch/machinery";
import type { JsonObject, JsonValue, Vocabulary } from "@orch/schema";
import type { AnyPolicySpec } from "./known-policies";
import { type Compiled, type CompiledPolicy, policySteps } from "./policy-compilation";

export interface ExpressionRulesParts {
  readonly vocabulary: Vocabulary;
  /** Whether another thread takes long work; nothing here blocks the event loop then. */
  readonly hasElsewhere: boolean;
  /** Newest release whose functions new expressions may use. Absent: all functions. */
  readonly compatibility?: string | undefined;
}

const KINDS: ReadonlySet<string> = new Set(["ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"]);

/** Maximum length of all expressions that are compiled in one go, in characters. They take a few milliseconds. */
const CHARACTERS_HERE = 4000;
const LONG_BYTES = 128 * 1024;

/** Adds these rules to a kind of policies. An update checks the spec only when it changes. */
export function withExpressionRules(kind: ResourceDefinition, parts: ExpressionRulesParts): ResourceDefinition {
  if (!KINDS.has(kind.kind)) return kind;
  return withAddedRules(kind, {
    longBytes: LONG_BYTES,
    create: ({ spec }) => errorsOf(spec, parts),
    update: ({ spec }, old) => (sameJson(spec, old["spec"]) ? [] : errorsOf(spec, parts, old["spec"])),
  });
}

function errorsOf(
  json: JsonValue | undefined,
  { vocabulary, hasElsewhere, compatibility }: ExpressionRulesParts,
  old: JsonValue = {},
): FieldError[] {
  const spec = (json ?? {}) as JsonObject as AnyPolicySpec;
  if (hasElsewhere && charactersOf(spec) > CHARACTERS_HERE)
    throw new ManyValuesError("long expressions must be compiled");
  const stored = new Set(textsOf(old as JsonObject as AnyPolicySpec).map((text) => (text ?? "").trim()));
  const limit = newExpressionLimit(compatibility, vocabulary, stored);
  const steps = policySteps(spec, { vocabulary, limit });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return problemsOf(spec, value);
  }
}

const charactersOf = (spec: AnyPolicySpec): number =>
  textsOf(spec).reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);

/** Returns the texts of all expressions. */
function textsOf(spec: AnyPolicySpec): readonly (string | undefined)[] {
  return [
    ...(spec.matchConditions ?? []).map(({ expression }) => expression),
    ...(spec.variables ?? []).map(({ expression }) => expression),
    ...(spec.validations ?? []).flatMap(({ expression, messageExpression }) => [expression, messageExpression]),
    ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
    ...(spec.mutations ?? []).flatMap(({ applyConfiguration, jsonPatch }) => [
      applyConfiguration?.expression,
      jsonPatch?.expression,
    ]),
  ];
}

/** Reports expressions that do not compile. Missing expressions are reported by the kind's own validation. */
function problemsOf(spec: AnyPolicySpec, compiled: CompiledPolicy): FieldError[] {
  const errors: FieldError[] = [];
  const look = (path: string, source: string | undefined, made: Compiled | undefined): void => {
    if (typeof made === "string" && source !== undefined && source.trim() !== "")
      errors.push(field.invalid(path, source, made));
  };
  for (const [index, { source, compiled: made }] of compiled.conditions.entries())
    look(`spec.matchConditions[${index}].expression`, source, made);
  for (const [index, { name = "", expression }] of (spec.variables ?? []).entries())
    look(`spec.variables[${index}].expression`, expression, compiled.variables.get(name));
  for (const [index, { source, compiled: made, messageExpression }] of compiled.validations.entries()) {
    look(`spec.validations[${index}].expression`, source, made);
    const text = spec.validations?.[index]?.messageExpression;
    look(`spec.validations[${index}].messageExpression`, text, messageExpression);
  }
  for (const [index, { source, compiled: made }] of compiled.annotations.entries())
    look(`spec.auditAnnotations[${index}].valueExpression`, source, made);
  for (const [index, { kind, source, compiled: made }] of compiled.mutations.entries())
    look(
      `spec.mutations[${index}].${kind === "JSONPatch" ? "jsonPatch" : "applyConfiguration"}.expression`,
      source,
      made,
    );
  return errors;
}
