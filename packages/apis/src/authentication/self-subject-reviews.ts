import type { BuiltInResource } from "../model/built-in-resource";

export const selfSubjectReviews = {
  group: "authentication",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  scope: "Cluster",
  virtual: true,
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.28" },
    { version: "v1beta1", introduced: "1.27", deprecated: "1.30", removed: "1.33" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
