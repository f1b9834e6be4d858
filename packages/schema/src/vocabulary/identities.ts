// Identities: users, groups, roles, signers, tokens and their claims. A row: the name of this product, the name of
// Kubernetes.

import type { IdentifierTable } from "./identifier-table";

export const SIGNERS = {
  apiserverClient: ["orch.io/apiserver-client", "kubernetes.io/kube-apiserver-client"],
  apiserverClientAgent: ["orch.io/apiserver-client-agent", "kubernetes.io/kube-apiserver-client-kubelet"],
  agentServing: ["orch.io/agent-serving", "kubernetes.io/kubelet-serving"],
  legacyUnknown: ["orch.io/legacy-unknown", "kubernetes.io/legacy-unknown"],
  apiserverServing: ["orch.io/apiserver-serving", "kubernetes.io/kube-apiserver-serving"],
  apiserverClientPod: ["orch.io/apiserver-client-pod", "kubernetes.io/kube-apiserver-client-pod"],
} as const satisfies IdentifierTable;

export const USERS = {
  controllerManager: ["system:orch-controller-manager", "system:kube-controller-manager"],
  scheduler: ["system:orch-scheduler", "system:kube-scheduler"],
  proxy: ["system:orch-proxy", "system:kube-proxy"],
  aggregator: ["system:orch-aggregator", "system:kube-aggregator"],
  nodeagent: ["nodeagent", "kubelet"],
  legacyProxy: ["orch_proxy", "kube_proxy"],
  systemServiceAccountPrefix: ["system:serviceaccount:orch-system:", "system:serviceaccount:kube-system:"],
} as const satisfies IdentifierTable;

export const USER_GROUPS = {
  systemServiceAccounts: ["system:serviceaccounts:orch-system", "system:serviceaccounts:kube-system"],
} as const satisfies IdentifierTable;

export const RBAC_NAMES = {
  controllerManager: ["system:orch-controller-manager", "system:kube-controller-manager"],
  scheduler: ["system:orch-scheduler", "system:kube-scheduler"],
  dns: ["system:orch-dns", "system:kube-dns"],
  aggregator: ["system:orch-aggregator", "system:kube-aggregator"],
  servingTrustBundlePublisher: [
    "apiserver-serving-clustertrustbundle-publisher",
    "kube-apiserver-serving-clustertrustbundle-publisher",
  ],
  nodeagentApiAdmin: ["system:nodeagent-api-admin", "system:kubelet-api-admin"],
  leaderLockingOrchControllerManager: [
    "system::leader-locking-orch-controller-manager",
    "system::leader-locking-kube-controller-manager",
  ],
  leaderLockingOrchScheduler: ["system::leader-locking-orch-scheduler", "system::leader-locking-kube-scheduler"],
  certificatesCertificatesigningrequestsNodeclient: [
    "system:certificates.orch.io:certificatesigningrequests:nodeclient",
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
  ],
  certificatesCertificatesigningrequestsSelfnodeclient: [
    "system:certificates.orch.io:certificatesigningrequests:selfnodeclient",
    "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
  ],
  certificatesApiserverClientApprover: [
    "system:certificates.orch.io:apiserver-client-approver",
    "system:certificates.k8s.io:kube-apiserver-client-approver",
  ],
  certificatesApiserverClientAgentApprover: [
    "system:certificates.orch.io:apiserver-client-agent-approver",
    "system:certificates.k8s.io:kube-apiserver-client-kubelet-approver",
  ],
  certificatesAgentServingApprover: [
    "system:certificates.orch.io:agent-serving-approver",
    "system:certificates.k8s.io:kubelet-serving-approver",
  ],
  certificatesLegacyUnknownApprover: [
    "system:certificates.orch.io:legacy-unknown-approver",
    "system:certificates.k8s.io:legacy-unknown-approver",
  ],
} as const satisfies IdentifierTable;

export const FLOW_SCHEMAS = {
  controllerManager: ["orch-controller-manager", "kube-controller-manager"],
  scheduler: ["orch-scheduler", "kube-scheduler"],
  systemServiceAccounts: ["orch-system-service-accounts", "kube-system-service-accounts"],
} as const satisfies IdentifierTable;

export const FIELD_MANAGERS = {
  apiserver: ["orch-apiserver", "kube-apiserver"],
  controllerManager: ["orch-controller-manager", "kube-controller-manager"],
  scheduler: ["orch-scheduler", "kube-scheduler"],
  nodeagent: ["nodeagent", "kubelet"],
  orchctl: ["orchctl", "kubectl"],
  orchctlClientSideApply: ["orchctl-client-side-apply", "kubectl-client-side-apply"],
  orchctlLastApplied: ["orchctl-last-applied", "kubectl-last-applied"],
  orchctlPrefix: ["orchctl-", "kubectl-"],
} as const satisfies IdentifierTable;

export const USER_AGENTS = {
  apiserver: ["orch-apiserver/", "kube-apiserver/"],
  controllerManager: ["orch-controller-manager/", "kube-controller-manager/"],
  orchctl: ["orchctl/", "kubectl/"],
  nodeagent: ["nodeagent/", "kubelet/"],
  probe: ["orch-probe/", "kube-probe/"],
  product: ["orch/", "kubernetes/"],
  apiserverAdmission: ["orch-apiserver-admission", "kube-apiserver-admission"],
} as const satisfies IdentifierTable;

export const JWT_CLAIMS = {
  product: ["orch.io", "kubernetes.io"],
  orchServiceaccount: ["orch/serviceaccount", "kubernetes/serviceaccount"],
  serviceaccountNamespace: ["orch.io/serviceaccount/namespace", "kubernetes.io/serviceaccount/namespace"],
  serviceaccountSecretName: ["orch.io/serviceaccount/secret.name", "kubernetes.io/serviceaccount/secret.name"],
  serviceaccountServiceAccountName: [
    "orch.io/serviceaccount/service-account.name",
    "kubernetes.io/serviceaccount/service-account.name",
  ],
  serviceaccountServiceAccountUid: [
    "orch.io/serviceaccount/service-account.uid",
    "kubernetes.io/serviceaccount/service-account.uid",
  ],
} as const satisfies IdentifierTable;

export const USER_EXTRA_KEYS = {
  attestationAuthentication: ["attestation.authentication.orch.io/", "attestation.authentication.kubernetes.io/"],
  authenticationGroups: ["authentication.orch.io/groups", "authentication.kubernetes.io/groups"],
  authenticationPodName: ["authentication.orch.io/pod-name", "authentication.kubernetes.io/pod-name"],
  authenticationPodUid: ["authentication.orch.io/pod-uid", "authentication.kubernetes.io/pod-uid"],
  authenticationNodeName: ["authentication.orch.io/node-name", "authentication.kubernetes.io/node-name"],
  authenticationNodeUid: ["authentication.orch.io/node-uid", "authentication.kubernetes.io/node-uid"],
  authenticationCredentialId: ["authentication.orch.io/credential-id", "authentication.kubernetes.io/credential-id"],
  authenticationIssuedCredentialId: [
    "authentication.orch.io/issued-credential-id",
    "authentication.kubernetes.io/issued-credential-id",
  ],
  authenticationAssociatedNodeKeys: [
    "authentication.orch.io/associated-node-keys",
    "authentication.kubernetes.io/associated-node-keys",
  ],
  authenticationMutatingwebhookconfigurationName: [
    "authentication.orch.io/mutatingwebhookconfiguration-name",
    "authentication.kubernetes.io/mutatingwebhookconfiguration-name",
  ],
  authenticationMutatingwebhookconfigurationUid: [
    "authentication.orch.io/mutatingwebhookconfiguration-uid",
    "authentication.kubernetes.io/mutatingwebhookconfiguration-uid",
  ],
  authenticationValidatingwebhookconfigurationName: [
    "authentication.orch.io/validatingwebhookconfiguration-name",
    "authentication.kubernetes.io/validatingwebhookconfiguration-name",
  ],
  authenticationValidatingwebhookconfigurationUid: [
    "authentication.orch.io/validatingwebhookconfiguration-uid",
    "authentication.kubernetes.io/validatingwebhookconfiguration-uid",
  ],
} as const satisfies IdentifierTable;

export const AUDIT_ANNOTATIONS = {
  authorizationDecision: ["authorization.orch.io/decision", "authorization.k8s.io/decision"],
  authorizationReason: ["authorization.orch.io/reason", "authorization.k8s.io/reason"],
  deprecated: ["orch.io/deprecated", "k8s.io/deprecated"],
  removedRelease: ["orch.io/removed-release", "k8s.io/removed-release"],
  unsafeDelete: [
    "apiserver.orch.io/unsafe-delete-ignore-read-error",
    "apiserver.k8s.io/unsafe-delete-ignore-read-error",
  ],
  authenticationLegacyToken: ["authentication.orch.io/legacy-token", "authentication.k8s.io/legacy-token"],
  authenticationLegacyTokenAutogeneratedSecret: [
    "authentication.orch.io/legacy-token-autogenerated-secret",
    "authentication.k8s.io/legacy-token-autogenerated-secret",
  ],
  authenticationLegacyTokenManualSecret: [
    "authentication.orch.io/legacy-token-manual-secret",
    "authentication.k8s.io/legacy-token-manual-secret",
  ],
  authenticationLegacyTokenInvalidated: [
    "authentication.orch.io/legacy-token-invalidated",
    "authentication.k8s.io/legacy-token-invalidated",
  ],
  authenticationStaleToken: ["authentication.orch.io/stale-token", "authentication.k8s.io/stale-token"],
  auditChangedFields: ["audit.orch.io/changed-fields", "audit.k8s.io/changed-fields"],
  auditTruncated: ["audit.orch.io/truncated", "audit.k8s.io/truncated"],
  mutationWebhookAdmission: ["mutation.webhook.admission.orch.io/", "mutation.webhook.admission.k8s.io/"],
  patchWebhookAdmission: ["patch.webhook.admission.orch.io/", "patch.webhook.admission.k8s.io/"],
  failedOpenMutationWebhookAdmission: [
    "failed-open.mutation.webhook.admission.orch.io/",
    "failed-open.mutation.webhook.admission.k8s.io/",
  ],
  failedOpenValidatingWebhookAdmission: [
    "failed-open.validating.webhook.admission.orch.io/",
    "failed-open.validating.webhook.admission.k8s.io/",
  ],
  validatingWebhookAdmission: ["validating.webhook.admission.orch.io/", "validating.webhook.admission.k8s.io/"],
  validationPolicyAdmissionValidationFailure: [
    "validation.policy.admission.orch.io/validation_failure",
    "validation.policy.admission.k8s.io/validation_failure",
  ],
  podsecuritypolicyPolicyAdmitPolicy: [
    "podsecuritypolicy.policy.orch.io/admit-policy",
    "podsecuritypolicy.policy.k8s.io/admit-policy",
  ],
  podsecuritypolicyPolicyValidatePolicy: [
    "podsecuritypolicy.policy.orch.io/validate-policy",
    "podsecuritypolicy.policy.k8s.io/validate-policy",
  ],
  imagepolicywebhookImagePolicy: [
    "imagepolicywebhook.image-policy.orch.io/",
    "imagepolicywebhook.image-policy.k8s.io/",
  ],
  podSecurityExempt: ["pod-security.orch.io/exempt", "pod-security.kubernetes.io/exempt"],
  podSecurityEnforcePolicy: ["pod-security.orch.io/enforce-policy", "pod-security.kubernetes.io/enforce-policy"],
  podSecurityAuditViolations: ["pod-security.orch.io/audit-violations", "pod-security.kubernetes.io/audit-violations"],
  podSecurityError: ["pod-security.orch.io/error", "pod-security.kubernetes.io/error"],
  missingSanInvalidCert: ["missing-san.invalid-cert.orch.io/", "missing-san.invalid-cert.kubernetes.io/"],
  insecureSha1InvalidCert: ["insecure-sha1.invalid-cert.orch.io/", "insecure-sha1.invalid-cert.kubernetes.io/"],
  apiserverLatency: ["apiserver.latency.orch.io/", "apiserver.latency.k8s.io/"],
  apiserverUnsafeDeleteIgnoreReadError: [
    "apiserver.orch.io/unsafe-delete-ignore-read-error",
    "apiserver.k8s.io/unsafe-delete-ignore-read-error",
  ],
} as const satisfies IdentifierTable;

export const AUTHORIZER_NAMES = {
  alwaysAllowPaths: ["orch.io/always-allow-paths", "kubernetes.io/always-allow-paths"],
  alwaysAllowGroups: ["orch.io/always-allow-groups", "kubernetes.io/always-allow-groups"],
  webhook: ["orch.io/webhook", "kubernetes.io/webhook"],
} as const satisfies IdentifierTable;
