import type { BuiltInResource } from "@orch/apis-model";
import { validateLocalSubjectAccessReview } from "./access-review-validation";
import { groupsConversion } from "./subject-access-reviews";

export const localSubjectAccessReviews = {
  group: "authorization",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  scope: "Namespaced",
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
  rules: { nameFormat: "subdomain", declared: "first", validate: validateLocalSubjectAccessReview },
} as const satisfies BuiltInResource;
