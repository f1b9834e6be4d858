// May they?
import { accessSpecOf, decide, metadataErrors, shapeErrors, subjectErrors, subjectOf } from "./access-question";
import { requireValid, type VirtualHandler } from "./virtual-resource";

export const subjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object } = question;
  const spec = accessSpecOf(object);
  requireValid(question, [...shapeErrors(spec), ...subjectErrors(spec), ...metadataErrors(object)]);
  return decide(authorizer, subjectOf(spec), spec);
};
