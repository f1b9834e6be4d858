// Scopes of a quota. Source: Kubernetes documentation, "Resource Quotas", "Quota scopes".

import { objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

export interface ScopeRequirement {
  readonly scopeName: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  readonly values: readonly string[];
}

export function requirementOf({ scopeName, operator, values }: JsonObject): ScopeRequirement {
  return {
    scopeName: String(scopeName ?? ""),
    operator: String(operator ?? ""),
    values: Array.isArray(values) ? values.map(String) : [],
  };
}

const NONE: readonly ScopeRequirement[] = [];

/** Returns the scopes of a quota. An object must match all of them. */
export function scopesOf(quota: JsonObject): readonly ScopeRequirement[] {
  const { spec } = quota;
  if (!isObject(spec)) return NONE;
  const { scopes, scopeSelector } = spec;
  if (scopes === undefined && scopeSelector === undefined) return NONE;
  const named = Array.isArray(scopes)
    ? scopes.map((scopeName) => requirementOf({ scopeName, operator: "Exists" }))
    : [];
  return isObject(scopeSelector)
    ? [...named, ...objectsAt(scopeSelector, "matchExpressions").map(requirementOf)]
    : named;
}

/** Returns whether a requirement selects a name. An absent or empty name is no value. */
export function selectsName({ operator, values }: ScopeRequirement, name: unknown): boolean {
  const has = typeof name === "string" && name !== "";
  switch (operator) {
    case "In":
      return has && values.includes(name);
    case "NotIn":
      return !has || !values.includes(name);
    case "Exists":
      return has;
    case "DoesNotExist":
      return !has;
    default: // what was stored by another hand
      return false;
  }
}

/** Formats scopes for messages. */
export const scopesText = (scopes: readonly ScopeRequirement[]): string =>
  `[${scopes.map(({ scopeName, operator, values }) => `{${scopeName} ${operator} [${values.join(" ")}]}`).join(" ")}]`;
