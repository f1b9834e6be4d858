// The configuration of the API server: its flags, the settings that follow from them, and option files that are
// reloaded when they change.

export { type OpenAuthentication, openAuthentication } from "./authentication/open-authentication";
export type { SignInIssuer } from "./authentication/trusted-issuers";
export { OpenAuthorization, openAuthorization } from "./authorization/open-authorization";
export { openEgress } from "./egress/open-egress";
export { type OpenEncryption, openEncryption } from "./encryption/open-encryption";
export { ExternalSigner, openSigner } from "./external-signer/external-signer";
export { type FeatureGates, type GateName, gatesText, reportedGates } from "./flags/feature-gates";
export { flagAliases, flagSpellings, SERVER_FLAGS, type ServerConfig } from "./flags/server-flags";
export { showCertificateEnd } from "./option-files/certificate-end";
export { type OptionFile, type ReloadMetrics, type ReloadParts, reloadWhenChanged } from "./option-files/reloaded-file";
export type { AllowedLabels } from "./settings/allowed-labels";
export { type AuditSinkName, auditVersions, isAudited, sinkOptions, versionOf } from "./settings/audit-options";
export { backupBucket } from "./settings/backup-options";
export { withDependentDefaults } from "./settings/dependent-defaults";
export { measureExpressions } from "./settings/expression-timings";
export { namingOption } from "./settings/named-option";
export { ownShare } from "./settings/own-share";
export { servedRelease } from "./settings/served-release";
export { type Settings, SettingsError, settingsOf } from "./settings/settings";
export type { StoreOverride } from "./settings/store-overrides";
export { type TracingConfiguration, tracingConfiguration } from "./tracing/tracing-configuration";
