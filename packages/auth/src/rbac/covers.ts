// Whether what one set of rules allows is allowed by another as well. Source: facts, rbac-bootstrap.json "covers".
import type { PolicyRule } from "./policy";

/** The rules among `wanted` that allow anything which `held` does not. */
export function uncovered(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): PolicyRule[] {
  return wanted.filter(
    (rule) => !singleRules(rule).every((single) => held.some((owner) => ownerCovers(owner, single))),
  );
}

/** One verb on one resource of one group, under one name or any; or one verb on one path. */
type SingleRule =
  | { readonly verb: string; readonly url: string }
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string | undefined };

function singleRules(rule: PolicyRule): SingleRule[] {
  const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  return rule.verbs.flatMap((verb) => [
    ...(rule.nonResourceURLs ?? []).map((url) => ({ verb, url })),
    ...(rule.apiGroups ?? []).flatMap((group) =>
      (rule.resources ?? []).flatMap((resource) => names.map((name) => ({ verb, group, resource, name }))),
    ),
  ]);
}

function ownerCovers(owner: PolicyRule, single: SingleRule): boolean {
  if (!has(owner.verbs, single.verb)) return false;
  if ("url" in single) {
    return (owner.nonResourceURLs ?? []).some(
      (url) => url === single.url || (url.endsWith("*") && single.url.startsWith(url.slice(0, -1))),
    );
  }
  const subresource = single.resource.indexOf("/");
  return (
    has(owner.apiGroups, single.group) &&
    (has(owner.resources, single.resource) ||
      (subresource !== -1 && has(owner.resources, `*${single.resource.slice(subresource)}`))) &&
    (!owner.resourceNames?.length || (single.name !== undefined && owner.resourceNames.includes(single.name)))
  );
}

function has(held: readonly string[] | null | undefined, wanted: string): boolean {
  return held != null && (held.includes(wanted) || held.includes("*"));
}
