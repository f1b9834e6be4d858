// Computes what one set of rules allows beyond another. Rules may be as long as an object can be, and combine to the
// product of their lists: what is not covered as a whole is checked right by right, and the caller may yield between
// two steps.
// Source: staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
import { OwnerIndex } from "./owner-index";
import type { PolicyRule } from "./policy";

/** One verb on one resource of one group, for one name or any; or one verb on one path. */
export type SingleRight =
  | { readonly verb: string; readonly url: string }
  | { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string | undefined };

/**
 * Returns the rules among `wanted` that allow anything which `held` does not. Only for rules that operators write: it
 * does not yield.
 */
export function uncovered(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): PolicyRule[] {
  return wanted.filter((rule) => {
    for (const missing of missingRights([rule], held)) if (missing !== undefined) return true;
    return false;
  });
}

/** Returns the approximate number of steps of `missingRights`. */
export function stepsFor(wanted: readonly PolicyRule[], held: readonly PolicyRule[]): number {
  const patterns = held.reduce((sum, { nonResourceURLs }) => sum + (nonResourceURLs?.length ?? 0), 0);
  return wanted.reduce((sum, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    const places = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * (resourceNames?.length || 1);
    return sum + verbs.length * places + (nonResourceURLs?.length ?? 0) * (verbs.length + patterns);
  }, 0);
}

/**
 * Yields every right that `wanted` gives and `held` does not, the rights of one place together; undefined for a step
 * without a finding.
 */
export function* missingRights(
  wanted: readonly PolicyRule[],
  held: readonly PolicyRule[],
): Generator<SingleRight | undefined> {
  const owners = new OwnerIndex(held.length);
  yield* owners.expect(wanted);
  yield* owners.fill(held);
  for (const rule of wanted) {
    yield* missingUrls(rule, owners);
    if (!(yield* owners.coverWhole(rule))) yield* missingResources(rule, owners);
  }
}

function* missingUrls({ verbs, nonResourceURLs }: PolicyRule, owners: OwnerIndex): Generator<SingleRight | undefined> {
  for (const url of nonResourceURLs ?? []) {
    const ofUrl = yield* owners.ofUrl(url);
    for (const verb of verbs) yield owners.haveCommon([ofUrl, owners.ofVerb(verb)]) ? undefined : { verb, url };
  }
}

function* missingResources(rule: PolicyRule, owners: OwnerIndex): Generator<SingleRight | undefined> {
  const names = rule.resourceNames?.length ? rule.resourceNames : [undefined];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const name of names) {
        const place = [owners.ofGroup(group), owners.ofResource(resource), owners.ofName(name)];
        for (const verb of rule.verbs) {
          const isHeld = owners.haveCommon([...place, owners.ofVerb(verb)]);
          yield isHeld ? undefined : { verb, group, resource, name };
        }
      }
    }
  }
}
