import { type BuiltInResource, type Conversion, takeField } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import { validateSubjectAccessReview } from "./access-review-validation";

/**
 * Conversion of access reviews: v1beta1 names the groups of the user `group`. Source:
 * staging/src/k8s.io/api/authorization/v1beta1/types.go.
 */
export const groupsConversion: Conversion = {
  toHub: (review) => renamed(review, "group", "groups"),
  fromHub: (review) => renamed(review, "groups", "group"),
};

function renamed(review: JsonObject, from: string, to: string): JsonObject {
  const { spec } = review;
  if (!isObject(spec)) return review;
  const value = takeField(spec, from);
  if (value !== undefined) spec[to] = value;
  return review;
}

export const subjectAccessReviews = {
  group: "authorization",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  scope: "Cluster",
  virtual: true,
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.6" },
    {
      version: "v1beta1",
      introduced: "1.2",
      deprecated: "1.19",
      removed: "1.22",
      replacement: "authorization/v1",
      conversion: groupsConversion,
    },
  ],
  rules: { nameFormat: "subdomain", declared: "first", validate: validateSubjectAccessReview },
} as const satisfies BuiltInResource;
