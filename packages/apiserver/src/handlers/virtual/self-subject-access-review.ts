// SelfSubjectAccessReview: whether the client may do something.

import type { VirtualHandler } from "@orch/request";
import { accessSpecOf, decide, dropSelectors } from "./access-question";
import { requireValid } from "./virtual-resource";

export const selfSubjectAccessReview: VirtualHandler = ({ authorizer, gates }, question) => {
  const { object, user } = question;
  dropSelectors(question.object, gates.AuthorizeWithSelectors);
  requireValid(question);
  return decide(authorizer, user, accessSpecOf(object), "everywhere");
};
