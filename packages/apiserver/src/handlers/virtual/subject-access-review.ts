// SubjectAccessReview: whether a user may do something.

import type { VirtualHandler } from "@orch/request";
import { accessSpecOf, decide, dropSelectors, subjectOf } from "./access-question";
import { requireValid } from "./virtual-resource";

export const subjectAccessReview: VirtualHandler = ({ authorizer, gates }, question) => {
  dropSelectors(question.object, gates.AuthorizeWithSelectors);
  requireValid(question);
  const spec = accessSpecOf(question.object);
  return decide(authorizer, subjectOf(spec), spec, "everywhere");
};
