import type { BuiltInResource } from "@orch/apis-model";

export const leaseCandidates = {
  group: "coordination",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
  versions: [{ version: "v1beta1", introduced: "1.33", deprecated: "1.36", removed: "1.39" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true, unconditionalUpdate: false },
} as const satisfies BuiltInResource;
