// LocalSubjectAccessReview: whether a user may do something in a namespace. The permission to create it can be granted
// per namespace.
import { BAD_REQUEST_TEXT, badRequest, metaOf, writableMeta } from "@orch/machinery";
import type { VirtualHandler } from "@orch/request";
import { accessSpecOf, decide, dropSelectors, subjectOf } from "./access-question";
import { requireValid } from "./virtual-resource";

export const localSubjectAccessReview: VirtualHandler = ({ authorizer, gates }, question) => {
  const { object, namespace } = question;
  // The body may, like in every create, leave out the namespace.
  writableMeta(object)["namespace"] ||= namespace;
  dropSelectors(question.object, gates.AuthorizeWithSelectors);
  requireValid(question);
  if (metaOf(object).namespace !== namespace) throw badRequest(BAD_REQUEST_TEXT.namespaceMismatch());
  const spec = accessSpecOf(object);
  return decide(authorizer, subjectOf(spec), spec, "namespace");
};
