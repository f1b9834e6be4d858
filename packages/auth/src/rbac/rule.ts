// Evaluation of one rule against one request. Source: pkg/registry/rbac/validation/rule.go.
import type { Attributes } from "../authorization/authorizer";
import type { PolicyRule } from "./policy";

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === "nonResource") return urlMatches(rule.nonResourceURLs, attributes.path);
  return (
    has(rule.apiGroups, attributes.apiGroup) &&
    resourceMatches(rule.resources, attributes.resource, attributes.subresource) &&
    nameMatches(rule.resourceNames, attributes.name)
  );
}

function has(allowed: readonly string[] | null | undefined, wanted: string): boolean {
  return allowed != null && (allowed.includes(wanted) || allowed.includes("*"));
}

/**
 * Matches resources. `*` matches everything, subresources included; `*` before a slash matches the subresource of any
 * resource.
 */
export function resourceMatches(
  allowed: readonly string[] | null | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (subresource === "") return has(allowed, resource);
  return has(allowed, `${resource}/${subresource}`) || (allowed?.includes(`*/${subresource}`) ?? false);
}

/** Matches names. A request without a name does not match a rule with names. */
function nameMatches(allowed: readonly string[] | null | undefined, name: string): boolean {
  return allowed == null || allowed.length === 0 || allowed.includes(name);
}

export function urlMatches(allowed: readonly string[] | null | undefined, path: string): boolean {
  return allowed?.some((url) => url === path || (isPattern(url) && path.startsWith(prefixOf(url)))) ?? false;
}

/** Returns whether the URL is a pattern. An asterisk elsewhere than at the end is literal. */
export const isPattern = (url: string): boolean => url.endsWith("*");

/** Returns the prefix of a pattern. Several asterisks at the end mean the same as one. */
export function prefixOf(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end -= 1;
  return pattern.slice(0, end);
}
