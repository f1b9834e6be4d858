// SubjectAccessReview: whether a user may do something.

import type { VirtualHandler } from "@orch/request";
import { accessSpecOf, decide, subjectOf } from "./access-question";
import { requireValid } from "./virtual-resource";

export const subjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  requireValid(question);
  const spec = accessSpecOf(question.object);
  return decide(authorizer, subjectOf(spec), spec, "everywhere");
};
