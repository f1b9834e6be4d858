// Feature gates that bootstrap roles and the node authorizer follow, and that no field has. Source: Kubernetes
// documentation, "Feature Gates"; plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
import type { GateRow } from "@orch/machinery";

export const ROLE_GATES = {
  AuthorizeNodeWithSelectors: {
    stages: { alpha: "1.31", beta: "1.32", ga: "1.34" },
    help: "node agents that read only the objects of their own node",
  },
  KubeletFineGrainedAuthz: {
    stages: { alpha: "1.32", beta: "1.33", ga: "1.36" },
    help: "permissions for parts of the API of node agents",
  },
  KubeletServiceAccountTokenForCredentialProviders: {
    stages: { alpha: "1.33", beta: "1.34" },
    help: "service account tokens for the image credentials of node agents",
  },
  PodDisruptionConditions: {
    stages: { alpha: "1.25", beta: "1.26", ga: "1.31" },
    removed: "1.34",
    help: "permissions of controllers to record why a pod is deleted",
  },
  ValidatingAdmissionPolicy: {
    stages: { alpha: "1.26", beta: "1.28", ga: "1.30" },
    onSince: "1.30",
    removed: "1.32",
    help: "permissions of the controller of the status of policies; AdmissionPolicies switches the policies",
  },
} as const satisfies Readonly<Record<string, GateRow>>;
