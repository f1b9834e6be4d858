import type { BuiltInResource } from "@orch/apis-model";

export const selfSubjectReviews = {
  group: "authentication",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
  virtual: true,
  gate: "APISelfSubjectReview",
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.28" },
    { version: "v1beta1", introduced: "1.27", deprecated: "1.30", removed: "1.33" },
    { version: "v1alpha1", introduced: "1.26", deprecated: "1.29", removed: "1.32" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
