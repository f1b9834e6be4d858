import type { BuiltInResource } from "@orch/apis-model";
import { podSecurityPolicyColumns } from "./pod-security-policy-columns";
import { validatePodSecurityPolicy } from "./pod-security-policy-validation";

export const podSecurityPolicies = {
  group: "policy",
  kind: "PodSecurityPolicy",
  plural: "podsecuritypolicies",
  shortNames: ["psp"],
  scope: "Cluster",
  versions: [
    { version: "v1beta1", introduced: "1.10", deprecated: "1.21", removed: "1.25" },
    {
      group: "extensions",
      version: "v1beta1",
      introduced: "1.2",
      deprecated: "1.11",
      removed: "1.16",
      replacement: "policy/v1beta1",
    },
  ],
  rules: { nameFormat: "subdomain", validate: validatePodSecurityPolicy },
  defaults: { fields: { "spec.allowPrivilegeEscalation": true } },
  deleteReturnsObject: true,
  columns: podSecurityPolicyColumns,
} as const satisfies BuiltInResource;
