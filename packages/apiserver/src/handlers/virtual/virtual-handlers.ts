// Handlers of virtual resources. Resources that are not in the table are not listed in discovery.

import type { VirtualHandler } from "@orch/request";
import { localSubjectAccessReview } from "./local-subject-access-review";
import { selfSubjectAccessReview } from "./self-subject-access-review";
import { selfSubjectReview } from "./self-subject-review";
import { selfSubjectRulesReview } from "./self-subject-rules-review";
import { subjectAccessReview } from "./subject-access-review";
import { tokenReview } from "./token-review";

/** Handlers by plural name. */
export const VIRTUAL_HANDLERS: Readonly<Record<string, VirtualHandler>> = {
  localsubjectaccessreviews: localSubjectAccessReview,
  selfsubjectaccessreviews: selfSubjectAccessReview,
  selfsubjectreviews: selfSubjectReview,
  selfsubjectrulesreviews: selfSubjectRulesReview,
  subjectaccessreviews: subjectAccessReview,
  tokenreviews: tokenReview,
};
