// What a quota says, as far as its evaluators go by it.
import { isObject, type JsonObject } from "@orch/schema";
import type { QuotaEvaluator } from "./evaluator";
import { type ScopeRequirement, scopesOf } from "./scopes";
import { NO_USAGE, only, type Usage, usageOf } from "./usage";

export interface QuotaTerms {
  /** In force: those of the status. */
  readonly hard: Usage;
  readonly used: Usage;
  readonly scopes: readonly ScopeRequirement[];
}

export function termsOf(quota: JsonObject): QuotaTerms {
  const { status } = quota;
  const [hard, used] = isObject(status) ? [usageOf(status["hard"]), usageOf(status["used"])] : [NO_USAGE, NO_USAGE];
  return { hard, used, scopes: scopesOf(quota) };
}

/** What is wanted, whether or not it is in force yet. */
export const wantedOf = ({ spec }: JsonObject): Usage => (isObject(spec) ? usageOf(spec["hard"]) : NO_USAGE);

/** Whether the scopes of a quota let it count the object. */
export const isCounted = (
  { inScope }: Pick<QuotaEvaluator, "inScope">,
  object: JsonObject,
  scopes: readonly ScopeRequirement[],
): boolean => scopes.every((scope) => inScope?.(object, scope) === true);

/** What a quota counts of an object. @param names of the quota */
export function countedUsage(evaluator: QuotaEvaluator, usage: Usage, names: Pick<Usage, "has">): Usage {
  return only(usage, (name) => names.has(name) && evaluator.knows(name));
}
