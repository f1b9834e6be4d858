// Which virtual resources are served, and by what. One that is not in the table is not listed either.

import type { VirtualHandler } from "../../routes/resource-route";
import { localSubjectAccessReview } from "./local-subject-access-review";
import { selfSubjectAccessReview } from "./self-subject-access-review";
import { selfSubjectReview } from "./self-subject-review";
import { selfSubjectRulesReview } from "./self-subject-rules-review";
import { subjectAccessReview } from "./subject-access-review";
import { tokenReview } from "./token-review";

/** By plural. */
export const VIRTUAL_HANDLERS: Readonly<Record<string, VirtualHandler>> = {
  localsubjectaccessreviews: localSubjectAccessReview,
  selfsubjectaccessreviews: selfSubjectAccessReview,
  selfsubjectreviews: selfSubjectReview,
  selfsubjectrulesreviews: selfSubjectRulesReview,
  subjectaccessreviews: subjectAccessReview,
  tokenreviews: tokenReview,
};
