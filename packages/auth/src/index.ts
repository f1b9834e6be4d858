// Authentication and authorization.

export { PolicyIndex } from "./abac/abac-authorizer";
export { readPolicyLines } from "./abac/policy";
export { type AnonymousAccess, anonymous, anonymousAllowed, anonymousFor } from "./authentication/anonymous";
export { forThisServer } from "./authentication/audiences";
export type {
  AuthenticationOutcome,
  AuthenticationRequest,
  Authenticator,
  CredentialUse,
  PeerConnection,
  TokenAuthenticator,
} from "./authentication/authenticator";
export { reviewText, unionOf } from "./authentication/authenticator";
export { bearerTokenAuthenticator } from "./authentication/bearer-token";
export { ClientCertificateAuthenticator } from "./authentication/client-certificate";
export { type LocalToken, localTokenAuthenticator } from "./authentication/local-token";
export { RequestHeaderAuthenticator, type RequestHeaderOptions } from "./authentication/request-headers";
export type {
  Attributes,
  Authorizer,
  Decision,
  ExplanationScope,
  ResourceAttributes,
} from "./authorization/authorizer";
export { explained, namespacesOf, rulesFor } from "./authorization/authorizer";
export { forbiddenRequest, sanitised } from "./authorization/forbidden";
export type { NamespaceAccess, ResourceScopes } from "./authorization/namespace-access";
export { type RequestedSelectors, requestedSelectors } from "./authorization/requested-selectors";
export type { AuthorizationMode, ChosenAuthorizer } from "./authorization-modes";
export {
  AUTHORIZATION_MODES,
  authorizerFor,
  isAuthorizationMode,
  parseAuthorizationModes,
} from "./authorization-modes";
export { organizationsOf } from "./certificates/certificate-subject";
export { REVOCATION_FILE_MAX_BYTES, readRevocationFile } from "./certificates/read-revocation";
export { type CertificateIdentity, identityOf, RevocationList } from "./certificates/revocation-list";
export {
  constrainedModes,
  type ImpersonationCheck,
  type ImpersonationMode,
} from "./identity/constrained-impersonation";
export { credentialId, credentialKey } from "./identity/credential-ids";
export { impersonatedUser, impersonationChecks } from "./identity/impersonated-user";
export { type Impersonation, isImpersonationHeader, readImpersonation } from "./identity/impersonation";
export {
  AGENT_CLIENTS_GROUP,
  ANONYMOUS_USER,
  AUTHENTICATED_GROUP,
  nodeOf,
  PRIVILEGED_GROUP,
  serviceAccountGroups,
  serviceAccountUserName,
  UNAUTHENTICATED_GROUP,
} from "./identity/well-known-identities";
export type { NodeAuthorizerDeps } from "./node/node-authorizer";
export { NodeGraph, type ObjectKey, objectKey, objectKeyKind } from "./node/node-graph";
export {
  accountReference,
  attachedNode,
  claimReferences,
  INNER_LISTS,
  nodeConfigOf,
  ownClaimReference,
  POD_LISTS,
  podReferences,
  type ReferringPod,
  requestingNode,
  sliceNode,
  VOLUME_NAMES,
  volumeOf,
} from "./node/pod-references";
export { DistributedClaims } from "./oidc/distributed-claims";
export { IssuerKeys, type IssuerKeysObserver } from "./oidc/issuer-keys";
export { JwtAuthenticator, type JwtIssuer } from "./oidc/jwt-authenticator";
export type { ClaimMapping, ClaimRule, ExpressionRule, ExtraMapping, JwtConfiguration } from "./oidc/jwt-configuration";
export { originOf, type SignInEndpoints } from "./oidc/sign-in-endpoints";
export type {
  ExpressionBudget as TokenExpressionBudget,
  ExpressionLanguage,
  ExpressionResult as TokenExpressionResult,
  ExpressionSubject,
  ExpressionValue,
  TokenExpression,
} from "./oidc/token-expression";
export { bootstrapPolicy } from "./rbac/bootstrap/bootstrap-policy";
export { escalationProblem } from "./rbac/escalation";
export { type PolicyRule, rulesOf, statedRules } from "./rbac/policy";
export { type HeldRules, type RbacChange, RbacGrants, type RbacKind } from "./rbac/rbac-grants";
export type { BindingChange } from "./rbac/reconcile";
export { reconcileBinding, reconcileRole } from "./rbac/reconcile";
export { type BootstrapSecret, bootstrapTokens, readBootstrapSecret } from "./tokens/bootstrap-tokens";
export {
  RememberedTokens,
  type TokenCacheObserver,
} from "./tokens/remembered-tokens";
export {
  type AccountTokenIssuer,
  accountTokenIssuer,
  type BoundClaims,
  type ObjectReference,
  secretClaimsJson,
} from "./tokens/service-accounts/account-claims";
export { AccountTokens, type TokenUse, type UsedSecret } from "./tokens/service-accounts/account-tokens";
export type { BoundObject, BoundObjects, TokenSecret } from "./tokens/service-accounts/bound-objects";
export { isTokenOf, tokenHolder } from "./tokens/service-accounts/token-secrets";
export { KeyRing } from "./tokens/signed/key-ring";
export { SIGNATURE_ALGORITHMS } from "./tokens/signed/signature-algorithm";
export {
  externalKey,
  parseSigningKey,
  parseVerificationKeys,
  publishedKey,
  type SigningKey,
  signToken,
  type VerificationKey,
} from "./tokens/signed/token-keys";
export { parseTokenFile, TokenFileAuthenticator } from "./tokens/token-file";
export { tokenUnion } from "./tokens/token-union";
export { webSocketTokenAuthenticator, withoutTokens } from "./tokens/web-socket-token";
export { rememberedWebhook, WebhookTokens } from "./tokens/webhook-tokens";
export { REVIEW_VERSIONS, type ReviewVersion } from "./webhook/access-question";
export {
  type MatchConditions,
  WebhookAuthorizer,
  type WebhookObserver,
  type WebhookOptions,
  type WebhookResult,
  WebhookTimeout,
} from "./webhook/webhook-authorizer";
