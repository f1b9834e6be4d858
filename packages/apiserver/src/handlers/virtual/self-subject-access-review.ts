// May I?
import { accessSpecOf, decide, metadataErrors, shapeErrors } from "./access-question";
import { requireValid, type VirtualHandler } from "./virtual-resource";

export const selfSubjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object, user } = question;
  const spec = accessSpecOf(object);
  requireValid(question, [...shapeErrors(spec), ...metadataErrors(object)]);
  return decide(authorizer, user, spec);
};
