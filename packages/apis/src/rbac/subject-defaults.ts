// Defaults of subjects and role references. In v1alpha1 a subject has an API version, which has no default.

import type { DefaultRules } from "@orch/apis-model";
import { groupName, type JsonObject, type Vocabulary } from "@orch/schema";

const SUBJECT: DefaultRules = {
  then: (subject, vocabulary) => {
    if (subject["kind"] === "User" || subject["kind"] === "Group") fillGroup(subject, vocabulary);
  },
};
const ROLE_REF: DefaultRules = { then: fillGroup };

export const SUBJECT_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "rbac/v1.Subject": SUBJECT,
  "rbac/v1.RoleRef": ROLE_REF,
  "rbac/v1beta1.Subject": SUBJECT,
  "rbac/v1beta1.RoleRef": ROLE_REF,
  "rbac/v1alpha1.RoleRef": ROLE_REF,
};

function fillGroup(reference: JsonObject, vocabulary: Vocabulary): void {
  if (!reference["apiGroup"]) reference["apiGroup"] = groupName(vocabulary, "rbac");
}
