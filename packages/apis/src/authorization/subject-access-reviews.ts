import type { BuiltInResource } from "../model/built-in-resource";
import { validateSubjectAccessReview } from "./access-review-validation";
import { groupsConversion } from "./groups-conversion";

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
  rules: { nameFormat: "subdomain", validate: validateSubjectAccessReview },
} as const satisfies BuiltInResource;
