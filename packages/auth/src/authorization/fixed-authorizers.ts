// Authorizers without a policy. Source: Kubernetes documentation, "Authorization", "Authorization modes".
import { type Authorizer, type Decision, NO_OPINION } from "./authorizer";
import { ALL_ACCESS, NO_ACCESS } from "./namespace-access";
import { EVERY_RULE, NO_RULES } from "./rule-list";

const ALLOWED: Decision = { kind: "allow", reason: "" };
const EVERYTHING_FORBIDDEN: Decision = { kind: "noOpinion", reason: "Everything is forbidden." };

export const alwaysAllow: Authorizer = {
  authorize: () => ALLOWED,
  rulesFor: () => EVERY_RULE,
  namespacesOf: () => ALL_ACCESS,
};

/** Allows nothing; a request that no other authorizer allows is then forbidden. */
export const alwaysDeny: Authorizer = { authorize: () => EVERYTHING_FORBIDDEN, rulesFor: () => NO_RULES };

/** Allows everything to the members of a group. */
export function privilegedGroup(group: string): Authorizer {
  return {
    authorize: ({ user }) => (user.groups.includes(group) ? ALLOWED : NO_OPINION),
    rulesFor: (user) => (user.groups.includes(group) ? EVERY_RULE : NO_RULES),
    namespacesOf: (user) => (user.groups.includes(group) ? ALL_ACCESS : NO_ACCESS),
  };
}
