// Which requests a rule of a webhook or a policy is about. Source: facts, admission/webhooks.md "Matching one hook".
import type { AdmissionOperation } from "@orch/machinery";

/** As configurations have it. */
export interface MatchRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** A resource, or a part of one behind a slash; a star on either side stands for any. */
  readonly resources?: readonly string[];
  /** Absent: `*`. */
  readonly scope?: string;
}

export interface RuleTarget {
  readonly operation: AdmissionOperation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
  /** It is in a namespace, and is none itself. */
  readonly namespaced: boolean;
}

const ANY = "*";

export function ruleMatches(rule: MatchRule, target: RuleTarget): boolean {
  return (
    scopeMatches(rule.scope ?? ANY, target.namespaced) &&
    lists(rule.operations, target.operation) &&
    lists(rule.apiGroups, target.group) &&
    lists(rule.apiVersions, target.version) &&
    (rule.resources ?? []).some((name) => resourceMatches(name, target))
  );
}

function scopeMatches(scope: string, namespaced: boolean): boolean {
  if (scope === ANY) return true;
  return namespaced === (scope === "Namespaced");
}

const lists = (names: readonly string[] = [], name: string): boolean => names.includes(ANY) || names.includes(name);

function resourceMatches(name: string, { resource, subresource }: RuleTarget): boolean {
  const slash = name.indexOf("/");
  const wanted = slash < 0 ? name : name.slice(0, slash);
  const wantedPart = slash < 0 ? "" : name.slice(slash + 1);
  return (wanted === ANY || wanted === resource) && (wantedPart === ANY || wantedPart === subresource);
}
