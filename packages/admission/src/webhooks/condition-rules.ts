// Validation of match conditions in webhook configurations: reports expressions that do not compile. The kinds' own
// validation has no access to CEL. Source: KEP-3716, "Admission Webhook Match Conditions".
import { type ExpressionLimit, newExpressionLimit } from "@orch/expressions";
import {
  type FieldError,
  field,
  ManyValuesError,
  type ResourceDefinition,
  sameJson,
  withAddedRules,
} from "@orch/machinery";
import type { admissionregistrationV1, JsonObject, JsonValue, Vocabulary } from "@orch/schema";
import { policySteps } from "../policies/policy-compilation";

export interface ConditionRulesParts {
  readonly vocabulary: Vocabulary;
  /** Whether another thread takes long work; nothing here blocks the event loop then. */
  readonly hasElsewhere: boolean;
  /** Newest release whose functions new expressions may use. Absent: all functions. */
  readonly compatibility?: string | undefined;
}

const KINDS: ReadonlySet<string> = new Set(["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);

/** Maximum length of all expressions that are compiled in one go, in characters. They take a few milliseconds. */
const CHARACTERS_HERE = 4000;
const LONG_BYTES = 128 * 1024;

interface Conditioned {
  readonly matchConditions?: admissionregistrationV1.MatchCondition[];
}

/** Adds these rules to a kind of webhook configurations. An update checks only the conditions that it changes. */
export function withConditionRules(kind: ResourceDefinition, parts: ConditionRulesParts): ResourceDefinition {
  if (!KINDS.has(kind.kind)) return kind;
  return withAddedRules(kind, {
    longBytes: LONG_BYTES,
    create: (object) => errorsOf(webhooksOf(object), [], parts),
    update: (object, old) => errorsOf(webhooksOf(object), webhooksOf(old), parts),
  });
}

const webhooksOf = ({ webhooks = [] }: JsonObject): readonly Conditioned[] =>
  webhooks as JsonValue as unknown as Conditioned[];

function errorsOf(
  webhooks: readonly Conditioned[],
  before: readonly Conditioned[],
  { vocabulary, hasElsewhere, compatibility }: ConditionRulesParts,
): FieldError[] {
  const changed = webhooks.map(({ matchConditions = [] }, index) => {
    const old = before[index]?.matchConditions ?? [];
    return sameJson(matchConditions as unknown as JsonValue, old as unknown as JsonValue) ? [] : matchConditions;
  });
  if (hasElsewhere && charactersOf(changed.flat()) > CHARACTERS_HERE)
    throw new ManyValuesError("long expressions must be compiled");
  const stored = before.flatMap(({ matchConditions = [] }) => matchConditions).map(({ expression = "" }) => expression);
  const limit = newExpressionLimit(compatibility, vocabulary, new Set(stored.map((text) => text.trim())));
  return changed.flatMap((matchConditions, index) => problemsOf(matchConditions, index, { vocabulary, limit }));
}

const charactersOf = (conditions: readonly admissionregistrationV1.MatchCondition[]): number =>
  conditions.reduce((sum, { expression = "" }) => sum + expression.length, 0);

/** Reports expressions that do not compile. Missing expressions are reported by the kind's own validation. */
function problemsOf(
  matchConditions: readonly admissionregistrationV1.MatchCondition[],
  webhook: number,
  site: { readonly vocabulary: Vocabulary; readonly limit: ExpressionLimit | undefined },
): FieldError[] {
  const steps = policySteps({ matchConditions: [...matchConditions] }, site);
  for (;;) {
    const { done, value } = steps.next();
    if (done !== true) continue;
    return value.conditions.flatMap(({ source, compiled }, index) =>
      typeof compiled === "string" && source.trim() !== ""
        ? [field.invalid(`webhooks[${webhook}].matchConditions[${index}].expression`, source, compiled)]
        : [],
    );
  }
}
