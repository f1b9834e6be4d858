// What the configurations of webhooks cannot judge by themselves, because they know no expressions: whether match conditions compile.
// Source: facts, admission/webhooks.md "matchConditions".
import { type FieldError, field, ManyValuesError, type ResourceDefinition, sameJson } from "@orch/machinery";
import type { admissionregistrationV1, JsonObject, JsonValue, Vocabulary } from "@orch/schema";
import { policySteps } from "../policies/policy-compilation";

export interface ConditionRulesParts {
  readonly vocabulary: Vocabulary;
  /** Whether there is another thread for what takes long: then nothing here holds up the loop. */
  readonly hasElsewhere: boolean;
}

const KINDS: ReadonlySet<string> = new Set(["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);

/** Of all expressions that are compiled in one go: they take a few milliseconds. */
const CHARACTERS_HERE = 4000;
const LONG_BYTES = 128 * 1024;

interface Conditioned {
  readonly matchConditions?: admissionregistrationV1.MatchCondition[];
}

/** A kind of configurations, which says that too of webhooks that are new, and of those that an update changes. */
export function withConditionRules(kind: ResourceDefinition, parts: ConditionRulesParts): ResourceDefinition {
  if (!KINDS.has(kind.kind)) return kind;
  const { strategy } = kind;
  return {
    ...kind,
    longBytes: LONG_BYTES,
    strategy: {
      ...strategy,
      validateCreate: (object, through) => [
        ...(strategy.validateCreate?.(object, through) ?? []),
        ...errorsOf(webhooksOf(object), [], parts),
      ],
      validateUpdate: (object, old, through) => [
        ...(strategy.validateUpdate?.(object, old, through) ?? []),
        ...errorsOf(webhooksOf(object), webhooksOf(old), parts),
      ],
    },
  };
}

const webhooksOf = ({ webhooks = [] }: JsonObject): readonly Conditioned[] =>
  webhooks as JsonValue as unknown as Conditioned[];

function errorsOf(
  webhooks: readonly Conditioned[],
  before: readonly Conditioned[],
  { vocabulary, hasElsewhere }: ConditionRulesParts,
): FieldError[] {
  const changed = webhooks.map(({ matchConditions = [] }, index) => {
    const old = before[index]?.matchConditions ?? [];
    return sameJson(matchConditions as unknown as JsonValue, old as unknown as JsonValue) ? [] : matchConditions;
  });
  if (hasElsewhere && charactersOf(changed.flat()) > CHARACTERS_HERE)
    throw new ManyValuesError("there are long expressions to compile");
  return changed.flatMap((matchConditions, index) => problemsOf(matchConditions, index, vocabulary));
}

const charactersOf = (conditions: readonly admissionregistrationV1.MatchCondition[]): number =>
  conditions.reduce((sum, { expression = "" }) => sum + expression.length, 0);

/** What is not there is reported by the kind's own rules. */
function problemsOf(
  matchConditions: readonly admissionregistrationV1.MatchCondition[],
  webhook: number,
  vocabulary: Vocabulary,
): FieldError[] {
  const steps = policySteps({ matchConditions: [...matchConditions] }, { vocabulary });
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
