// May they, in this namespace? Who may ask this can be decided namespace by namespace.
import { BAD_REQUEST_TEXT, badRequest, metaOf, writableMeta } from "@orch/machinery";
import type { VirtualHandler } from "../../routes/resource-route";
import { accessSpecOf, decide, subjectOf } from "./access-question";
import { requireValid } from "./virtual-resource";

export const localSubjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object, namespace } = question;
  // As with every create, a body may leave the namespace to the path.
  writableMeta(object)["namespace"] ||= namespace;
  requireValid(question);
  if (metaOf(object).namespace !== namespace) throw badRequest(BAD_REQUEST_TEXT.namespaceMismatch());
  const spec = accessSpecOf(object);
  return decide(authorizer, subjectOf(spec), spec, "namespace");
};
