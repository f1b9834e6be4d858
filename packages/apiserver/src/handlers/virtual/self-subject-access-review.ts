// May I?
import { accessSpecOf, decide } from "./access-question";
import { requireValid, type VirtualHandler } from "./virtual-resource";

export const selfSubjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object, user } = question;
  requireValid(question);
  return decide(authorizer, user, accessSpecOf(object));
};
