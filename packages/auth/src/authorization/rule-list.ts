// Rules of a user in a namespace, for display; they are not used for decisions.
// Source: Kubernetes API reference, "SelfSubjectRulesReview".

export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether more may be allowed than the list contains. */
  readonly incomplete: boolean;
  /** Why the list may be incomplete; "" without a reason. */
  readonly problem: string;
}

export type ResourceRule = {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
};

export type NonResourceRule = {
  verbs: string[];
  nonResourceURLs: string[];
};

export const NO_RULES: RuleList = { resourceRules: [], nonResourceRules: [], incomplete: false, problem: "" };

export const EVERY_RULE: RuleList = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
  problem: "",
};

/**
 * Returns the result of an authorizer that cannot list rules.
 * @param problem the reason
 */
export const unlistable = (problem: string): RuleList => ({ ...NO_RULES, incomplete: true, problem });

export const UNLISTABLE: RuleList = unlistable("an authorizer cannot list its rules");

/** Joins the rules of all lists. `EVERY_RULE` absorbs all others. */
export function joinedRules(lists: readonly RuleList[]): RuleList {
  if (lists.includes(EVERY_RULE)) return EVERY_RULE;
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    problem: lists.flatMap(({ problem }) => (problem === "" ? [] : [problem])).join("; "),
  };
}
