// Who is asking, and may they.

export { PolicyIndex } from "./abac/abac-authorizer";
export { PolicyFileError, type PolicyLines, readPolicyLines } from "./abac/policy";
export { anonymous, anonymousAllowed } from "./anonymous";
export { forThisServer } from "./audiences";
export type {
  AuthenticationOutcome,
  AuthenticationRequest,
  Authenticator,
  PeerConnection,
} from "./authenticator";
export { unionOf } from "./authenticator";
export type { AuthorizationDeps, AuthorizationMode, ChosenAuthorizer } from "./authorization-modes";
export {
  AUTHORIZATION_MODES,
  authorizerFor,
  isAuthorizationMode,
  parseAuthorizationModes,
} from "./authorization-modes";
export type { Attributes, Authorizer, Decision, NonResourceAttributes, ResourceAttributes } from "./authorizer";
export { chainOf, rulesFor } from "./authorizer";
export type { TokenAuthenticator } from "./bearer-token";
export { bearerTokenAuthenticator } from "./bearer-token";
export { ClientCertificateAuthenticator } from "./client-certificate";
export { forbiddenRequest, sanitised } from "./forbidden";
export { impersonatedUser, impersonationChecks } from "./impersonated-user";
export { type Impersonation, isImpersonationHeader, readImpersonation } from "./impersonation";
export { type LocalToken, localTokenAuthenticator } from "./local-token";
export type { NodeAuthorizerDeps } from "./node/node-authorizer";
export { NodeGraph, type ObjectKey, objectKey } from "./node/node-graph";
export { NODE_USER_PREFIX, NODES_GROUP, nodeOf } from "./node/node-identity";
export {
  accountReference,
  attachedNode,
  INNER_LISTS,
  nodeConfigOf,
  ownClaimReference,
  POD_LISTS,
  podReferences,
  type ReferringPod,
  VOLUME_NAMES,
  volumeOf,
} from "./node/pod-references";
export type { BootstrapPolicy } from "./rbac/bootstrap/bootstrap-policy";
export { bootstrapPolicy } from "./rbac/bootstrap/bootstrap-policy";
export { escalationProblem } from "./rbac/escalation";
export { type PolicyRule, rulesOf, statedRules } from "./rbac/policy";
export { type HeldRules, RbacGrants } from "./rbac/rbac-grants";
export type { RbacView } from "./rbac/rbac-view";
export type { BindingChange } from "./rbac/reconcile";
export { reconcileBinding, reconcileRole } from "./rbac/reconcile";
export { RequestHeaderAuthenticator, type RequestHeaderOptions } from "./request-headers";
export { REVOCATION_FILE_MAX_BYTES, type RevocationFile, readRevocationFile } from "./revocation/read-revocation";
export { type CertificateIdentity, identityOf, RevocationList } from "./revocation/revocation-list";
export type { NonResourceRule, ResourceRule, RuleList } from "./rule-list";
export type { TokenEntry, TokenFile } from "./token-file";
export { parseTokenFile, TokenFileAuthenticator } from "./token-file";
export { REVIEW_VERSIONS, type ReviewVersion } from "./webhook/access-question";
export {
  type MatchConditions,
  WebhookAuthorizer,
  type WebhookObserver,
  type WebhookOptions,
  type WebhookResult,
  WebhookTimeout,
} from "./webhook/webhook-authorizer";
export {
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  PRIVILEGED_GROUP,
  serviceAccountUserName,
  UNAUTHENTICATED_GROUP,
} from "./well-known-identities";
