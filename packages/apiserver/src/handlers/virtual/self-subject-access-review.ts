// SelfSubjectAccessReview: whether the client may do something.

import type { VirtualHandler } from "@orch/request";
import { accessSpecOf, decide } from "./access-question";
import { requireValid } from "./virtual-resource";

export const selfSubjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object, user } = question;
  requireValid(question);
  return decide(authorizer, user, accessSpecOf(object), "everywhere");
};
