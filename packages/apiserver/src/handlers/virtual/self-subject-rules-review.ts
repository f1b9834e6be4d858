// SelfSubjectRulesReview: the actions that the client may perform in a namespace.
import { rulesFor } from "@orch/auth";
import { badRequest } from "@orch/machinery";
import type { VirtualHandler } from "@orch/request";

export const selfSubjectRulesReview: VirtualHandler = ({ authorizer }, { object, user }) => {
  const { namespace = "" } = object["spec"] as { readonly namespace?: string };
  if (namespace === "") throw badRequest("no namespace on request");
  const { resourceRules, nonResourceRules, incomplete, problem } = rulesFor(authorizer, user, namespace);
  return {
    resourceRules: [...resourceRules],
    nonResourceRules: [...nonResourceRules],
    incomplete,
    ...(problem === "" ? {} : { evaluationError: problem }),
  };
};
