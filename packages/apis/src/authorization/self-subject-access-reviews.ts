import type { BuiltInResource } from "@orch/apis-model";
import { validateSelfSubjectAccessReview } from "./access-review-validation";

export const selfSubjectAccessReviews = {
  group: "authorization",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  scope: "Cluster",
  virtual: true,
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.6" },
    { version: "v1beta1", introduced: "1.2", deprecated: "1.19", removed: "1.22", replacement: "authorization/v1" },
  ],
  rules: { nameFormat: "subdomain", declared: "first", validate: validateSelfSubjectAccessReview },
} as const satisfies BuiltInResource;
