// Requests that the rules of a flow schema match. Source: staging/src/k8s.io/apiserver/pkg/util/flowcontrol/rule.go.
import type { flowcontrolV1 } from "@orch/schema";

/** Attributes of a request that the rules match. */
export type FlowTarget =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly apiGroup: string;
      /** Resource with its subresource: `pods/log`. */
      readonly resource: string;
      /** "" for cluster-scoped resources and for all namespaces. */
      readonly namespace: string;
    }
  | { readonly kind: "nonResource"; readonly verb: string; readonly path: string };

export interface FlowRules {
  readonly resource: readonly ResourceRule[];
  readonly nonResource: readonly PathRule[];
  readonly count: number;
}

interface ResourceRule {
  readonly verbs: Words;
  readonly apiGroups: Words;
  readonly resources: Words;
  readonly clusterScope: boolean;
  readonly namespaces: Words;
}

interface PathRule {
  readonly verbs: Words;
  readonly paths: Words;
  /** Path prefixes, with the slash. */
  readonly below: readonly string[];
}

/** Undefined: any word. Most rules have one word, which one comparison tests. */
type Words = string | ReadonlySet<string> | undefined;

export function flowRulesOf(rules: flowcontrolV1.PolicyRulesWithSubjects): FlowRules {
  const resourceRules = rules.resourceRules ?? [];
  const nonResourceRules = rules.nonResourceRules ?? [];
  return {
    resource: resourceRules.map((rule) => ({
      verbs: wordsOf(rule.verbs),
      apiGroups: wordsOf(rule.apiGroups),
      resources: wordsOf(rule.resources),
      clusterScope: rule.clusterScope === true,
      namespaces: wordsOf(rule.namespaces),
    })),
    nonResource: nonResourceRules.map(pathRuleOf),
    count: resourceRules.length + nonResourceRules.length,
  };
}

export function rulesMatch({ resource, nonResource }: FlowRules, target: FlowTarget): boolean {
  if (target.kind === "resource") {
    for (const rule of resource) {
      if (
        has(rule.verbs, target.verb) &&
        has(rule.resources, target.resource) &&
        has(rule.apiGroups, target.apiGroup) &&
        (target.namespace === "" ? rule.clusterScope : has(rule.namespaces, target.namespace))
      )
        return true;
    }
    return false;
  }
  for (const { verbs, paths, below } of nonResource) {
    if (!has(verbs, target.verb)) continue;
    if (has(paths, target.path)) return true;
    for (const start of below) if (target.path.startsWith(start)) return true;
  }
  return false;
}

function pathRuleOf({ verbs, nonResourceURLs }: flowcontrolV1.NonResourcePolicyRule): PathRule {
  const paths = nonResourceURLs ?? [];
  return {
    verbs: wordsOf(verbs),
    paths: wordsOf(paths),
    below: paths.filter((path) => path.endsWith("/*")).map((path) => path.slice(0, -1)),
  };
}

const ANY = "*";

function wordsOf(given: readonly string[] | null | undefined): Words {
  const words = given ?? [];
  if (words.includes(ANY)) return undefined;
  const [only] = words;
  return words.length === 1 ? only : new Set(words);
}

function has(words: Words, word: string): boolean {
  if (words === undefined) return true;
  return typeof words === "string" ? words === word : words.has(word);
}
