// What a user may do in a namespace, as a list of rules: an answer for people and programs that show it; nothing is decided by it.
// Source: access-control, "Authorization objects"; facts, webhook-authz.md "Chain".

export interface RuleList {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether more may be allowed than the list says. */
  readonly incomplete: boolean;
  /** Why the list may lack something; "" without a reason. */
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

/** Of an authorizer that cannot list. @param problem why not */
export const unlistable = (problem: string): RuleList => ({ ...NO_RULES, incomplete: true, problem });

export const UNLISTABLE: RuleList = unlistable("an authorizer cannot list its rules");

/** All rules of all lists. To everything nothing can be added. */
export function joinedRules(lists: readonly RuleList[]): RuleList {
  if (lists.includes(EVERY_RULE)) return EVERY_RULE;
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    problem: lists.flatMap(({ problem }) => (problem === "" ? [] : [problem])).join("; "),
  };
}
