// Whether one rule allows one request. Source: facts, rbac-bootstrap.json "evaluation".
import type { Attributes } from "../authorizer";
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

/** `*` stands for everything, sub-resources included; `*` before a slash for the sub-resource of any resource. */
export function resourceMatches(
  allowed: readonly string[] | null | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (subresource === "") return has(allowed, resource);
  return has(allowed, `${resource}/${subresource}`) || (allowed?.includes(`*/${subresource}`) ?? false);
}

/** A request that names no object matches no rule that names some. */
function nameMatches(allowed: readonly string[] | null | undefined, name: string): boolean {
  return allowed == null || allowed.length === 0 || allowed.includes(name);
}

export function urlMatches(allowed: readonly string[] | null | undefined, path: string): boolean {
  return allowed?.some((url) => url === path || (isPattern(url) && path.startsWith(prefixOf(url)))) ?? false;
}

/** An asterisk elsewhere than at the end is one. */
export const isPattern = (url: string): boolean => url.endsWith("*");

/** What paths begin with that a pattern means: it may end in several asterisks, which say no more than one. */
export function prefixOf(pattern: string): string {
  let end = pattern.length;
  while (pattern[end - 1] === "*") end -= 1;
  return pattern.slice(0, end);
}
