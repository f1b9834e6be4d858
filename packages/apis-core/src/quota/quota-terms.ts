// Fields of a quota that evaluation reads.
import { isObject, type JsonObject } from "@orch/schema";
import type { QuotaEvaluator } from "./evaluator";
import { type ScopeRequirement, scopesOf } from "./scopes";
import { NO_USAGE, only, type Usage, usageOf } from "./usage";

export interface QuotaTerms {
  /** Limits in force: those of the status. */
  readonly hard: Usage;
  readonly used: Usage;
  readonly scopes: readonly ScopeRequirement[];
}

export function termsOf(quota: JsonObject): QuotaTerms {
  const { status } = quota;
  const [hard, used] = isObject(status) ? [usageOf(status["hard"]), usageOf(status["used"])] : [NO_USAGE, NO_USAGE];
  return { hard, used, scopes: scopesOf(quota) };
}

/** Returns the limits of the spec, which may not be in force yet. */
export const wantedOf = ({ spec }: JsonObject): Usage => (isObject(spec) ? usageOf(spec["hard"]) : NO_USAGE);

/** Returns whether the scopes of a quota include the object. */
export const isCounted = (
  { inScope }: Pick<QuotaEvaluator, "inScope">,
  object: JsonObject,
  scopes: readonly ScopeRequirement[],
): boolean => scopes.every((scope) => inScope?.(object, scope) === true);

/** Returns the part of an object's usage that a quota counts. @param names names in the quota */
export function countedUsage(evaluator: QuotaEvaluator, usage: Usage, names: Pick<Usage, "has">): Usage {
  return only(usage, (name) => names.has(name) && evaluator.knows(name));
}
