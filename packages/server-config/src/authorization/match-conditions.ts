// Match conditions of an authorization webhook: CEL expressions over the SubjectAccessReview. Source: KEP-3221
// (Structured Authorization Configuration).
import type { MatchConditions } from "@orch/auth";
import { type CompiledExpression, compileExpression, configuredLimit, expressionBudget } from "@orch/expressions";
import { isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const textFields = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, TEXT]));

const REQUIREMENT = { type: "object", properties: { key: TEXT, operator: TEXT, values: TEXTS } };
const SELECTOR = {
  type: "object",
  properties: { rawSelector: TEXT, requirements: { type: "array", items: REQUIREMENT } },
};

const RESOURCE = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];
const PATH = ["path", "verb"];

const SELECTORS = ["fieldSelector", "labelSelector"];

const requestType = (withSelectors: boolean) => ({
  type: "object",
  properties: {
    resourceAttributes: {
      type: "object",
      properties: {
        ...textFields(...RESOURCE),
        ...(withSelectors && { fieldSelector: SELECTOR, labelSelector: SELECTOR }),
      },
    },
    nonResourceAttributes: { type: "object", properties: textFields(...PATH) },
    user: TEXT,
    groups: TEXTS,
    extra: { type: "object", additionalProperties: TEXTS },
    uid: TEXT,
  },
});

export interface ConditionSite {
  readonly vocabulary: Vocabulary;
  /** Whether authorizers receive the selectors of requests. */
  readonly withSelectors: boolean;
  /** Release whose functions conditions may use. */
  readonly release: string;
}

/** @returns text: the compile error */
export function compileCondition(
  source: string,
  { vocabulary, withSelectors, release }: ConditionSite,
): CompiledExpression | string {
  const variables = { request: requestType(withSelectors) };
  const limit = configuredLimit(release, vocabulary);
  return compileExpression(source, { vocabulary, variables, results: ["bool"], limit });
}

export interface ConditionObserver {
  evaluated(seconds: number): void;
  excluded(): void;
  failed(): void;
}

/** A condition that is false decides, even when others fail. */
export function matchConditions(
  conditions: readonly CompiledExpression[],
  observer: ConditionObserver,
): MatchConditions | undefined {
  if (conditions.length === 0) return undefined;
  return (question) => {
    const sinceMs = performance.now();
    const result = evaluateAll(conditions, question);
    observer.evaluated((performance.now() - sinceMs) / 1000);
    if (result === "notAsked") observer.excluded();
    else if (result !== "asked") observer.failed();
    return result;
  };
}

function evaluateAll(conditions: readonly CompiledExpression[], question: JsonObject): ReturnType<MatchConditions> {
  const values = { request: wholeQuestion(question) };
  const budget = expressionBudget();
  const errors: string[] = [];
  for (const condition of conditions) {
    const outcome = condition.evaluate(values, budget);
    if (outcome.kind === "value" && outcome.value === false) return "notAsked";
    if (outcome.kind === "error") errors.push(`cel evaluation error: ${outcome.message}`);
  }
  return errors.length === 0 ? "asked" : { error: errors.join("; ") };
}

/**
 * Adds absent fields as empty values for expressions. Only the attributes of the other kind (resource or non-resource)
 * and absent selectors stay absent.
 */
function wholeQuestion(question: JsonObject): JsonObject {
  const filled = (member: string, names: readonly string[]): JsonObject => {
    const value = memberOf(question, member);
    if (!isObject(value)) return {};
    const texts = Object.fromEntries(names.map((name) => [name, memberOf(value, name) ?? ""]));
    return { [member]: { ...value, ...texts, ...wholeSelectors(value) } };
  };
  return {
    ...{ user: "", groups: [], extra: {}, uid: "" },
    ...question,
    ...filled("resourceAttributes", RESOURCE),
    ...filled("nonResourceAttributes", PATH),
  };
}

function wholeSelectors(attributes: JsonObject): JsonObject {
  const whole: Record<string, JsonValue> = {};
  for (const name of SELECTORS) {
    const selector = memberOf(attributes, name);
    const requirements = isObject(selector) ? selector["requirements"] : undefined;
    if (!Array.isArray(requirements)) continue;
    whole[name] = { requirements: requirements.map((each) => ({ values: [], ...(each as JsonObject) })) };
  }
  return whole;
}
