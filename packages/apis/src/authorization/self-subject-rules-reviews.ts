import type { BuiltInResource } from "@orch/apis-model";

export const selfSubjectRulesReviews = {
  group: "authorization",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
  virtual: true,
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.19" },
    { version: "v1beta1", introduced: "1.8", deprecated: "1.19", removed: "1.22", replacement: "authorization/v1" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
