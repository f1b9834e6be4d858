// Matches requests against the rules of webhooks and policies. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/rules/rules.go.
import type { AdmissionOperation } from "@orch/machinery";

/** Rule as in the configuration. */
export interface MatchRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** A resource, or a subresource after a slash; a star on either side matches any. */
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
  /** Whether the resource is namespaced and is not `namespaces` itself. */
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
