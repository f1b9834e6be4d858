// Rules of a user as `auth can-i --list` shows them: one row per resource, with all verbs. Source:
// component-helpers/auth/rbac/validation/policy_compact.go.
import { typeName } from "./asked-action";

export interface ListedRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Splits rules into single rights and joins the verbs of each resource. Sorted by verbs, then by group. */
export function compactRules(rules: readonly ListedRule[]): readonly ListedRule[] {
  const paths: ListedRule[] = [];
  const joined = new Map<string, ListedRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const { verbs = [], nonResourceURLs = [] } = rule;
    paths.push(...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] }))));
    for (const part of partsOf(rule)) {
      const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
      const known = joined.get(key);
      if (known === undefined) joined.set(key, { ...part, verbs: [...new Set(verbs)] });
      else known.verbs.push(...verbs.filter((verb) => !known.verbs.includes(verb)));
    }
  }
  const rank = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: ListedRule): string =>
    [verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => `[${(list ?? []).join(" ")}]`).join("");
  return [...joined.values(), ...paths].sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

function* partsOf({
  apiGroups = [],
  resources = [],
  resourceNames = [],
}: ListedRule): Generator<ListedRule, void, undefined> {
  for (const group of apiGroups) {
    for (const resource of resources) {
      const part = { apiGroups: [group], resources: [resource] };
      if (resourceNames.length === 0) yield part;
      for (const name of resourceNames) yield { ...part, resourceNames: [name] };
    }
  }
}

/** Returns resource, group and subresource, such as `deployments.apps/scale`. */
export function typeText({ apiGroups, resources }: ListedRule): string {
  const [resource = "", subresource = ""] = (resources?.[0] ?? "").split("/");
  return typeName({ resource, group: apiGroups?.[0] ?? "", subresource });
}
