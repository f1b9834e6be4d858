// Conversion of subjects: v1alpha1 has an API version where v1 has an API group, and names every user "*". Source:
// pkg/apis/rbac/v1alpha1/conversion.go.

import { type Conversion, objectsAt, takeField } from "@orch/apis-model";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { groupName } from "@orch/schema";

export const subjectConversion: Conversion = {
  toHub: (binding, vocabulary) => {
    for (const subject of objectsAt(binding, "subjects")) toGroup(subject, vocabulary);
    return binding;
  },
  fromHub: (binding, vocabulary) => {
    for (const subject of objectsAt(binding, "subjects")) toVersion(subject, vocabulary);
    return binding;
  },
};

const EVERY_USER = "system:authenticated";

function toGroup(subject: JsonObject, vocabulary: Vocabulary): void {
  const apiVersion = takeField(subject, "apiVersion");
  const { kind } = subject;
  if (kind === "User" || kind === "Group") {
    subject["apiGroup"] = groupName(vocabulary, "rbac");
    if (kind === "User" && subject["name"] === "*") Object.assign(subject, { kind: "Group", name: EVERY_USER });
  } else if (kind !== "ServiceAccount" && typeof apiVersion === "string" && apiVersion.includes("/")) {
    subject["apiGroup"] = apiVersion.slice(0, apiVersion.indexOf("/"));
  }
}

function toVersion(subject: JsonObject, vocabulary: Vocabulary): void {
  const apiGroup = takeField(subject, "apiGroup");
  switch (subject["kind"]) {
    case "User":
    case "Group":
      subject["apiVersion"] = `${groupName(vocabulary, "rbac")}/v1alpha1`;
      return;
    case "ServiceAccount":
      subject["apiVersion"] = "v1";
      return;
    default:
      if (typeof apiGroup === "string" && apiGroup !== "") subject["apiVersion"] = `${apiGroup}/v1`;
  }
}
