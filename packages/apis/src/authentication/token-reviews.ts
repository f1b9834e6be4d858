import type { BuiltInResource } from "@orch/apis-model";

export const tokenReviews = {
  group: "authentication",
  kind: "TokenReview",
  plural: "tokenreviews",
  scope: "Cluster",
  virtual: true,
  verbs: ["create"],
  versions: [
    { version: "v1", introduced: "1.6" },
    { version: "v1beta1", introduced: "1.4", deprecated: "1.19", removed: "1.22", replacement: "authentication/v1" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
