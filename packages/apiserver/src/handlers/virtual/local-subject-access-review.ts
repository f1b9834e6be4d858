// May they, in this namespace? Who may ask this can be decided namespace by namespace.
import { BAD_REQUEST_TEXT, badRequest, type FieldError, field, metaOf, writableMeta } from "@orch/machinery";
import {
  type AccessSpec,
  accessSpecOf,
  decide,
  metadataErrors,
  shapeErrors,
  subjectErrors,
  subjectOf,
} from "./access-question";
import { requireValid, type VirtualHandler } from "./virtual-resource";

export const localSubjectAccessReview: VirtualHandler = ({ authorizer }, question) => {
  const { object, namespace } = question;
  const spec = accessSpecOf(object);
  const metadata = writableMeta(object);
  // As with every create, a body may leave the namespace to the path.
  metadata["namespace"] ||= namespace;
  const stated = metaOf(object).namespace ?? "";
  requireValid(question, [
    ...shapeErrors(spec),
    ...subjectErrors(spec),
    ...metadataErrors(object, "namespace"),
    ...placeErrors(spec, stated),
  ]);
  if (stated !== namespace) throw badRequest(BAD_REQUEST_TEXT.namespaceMismatch());
  return decide(authorizer, subjectOf(spec), spec);
};

function placeErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = resourceAttributes?.namespace ?? "";
  if (resourceAttributes !== undefined && asked !== namespace) {
    errors.push(field.invalid("spec.resourceAttributes.namespace", asked, "must be the namespace of the review"));
  }
  if (nonResourceAttributes !== undefined) {
    errors.push(
      field.invalid("spec.nonResourceAttributes", nonResourceAttributes, "must be absent: paths lie in no namespace"),
    );
  }
  return errors;
}
