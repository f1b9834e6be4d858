// Every plugin that there is; where each runs, plugin-order.ts says.
import type { PluginFactory } from "./plugin";
import { certificateApproval } from "./plugins/certificate-approval";
import { certificateSigning } from "./plugins/certificate-signing";
import { certificateSubjectRestriction } from "./plugins/certificate-subject-restriction";
import { defaultIngressClass } from "./plugins/default-ingress-class";
import { defaultStorageClass } from "./plugins/default-storage-class";
import { denyServiceExternalIps } from "./plugins/deny-service-external-ips";
import { eventRateLimit } from "./plugins/event-rate-limit/plugin";
import { namespaceAutoProvision } from "./plugins/namespace-auto-provision";
import { namespaceExists } from "./plugins/namespace-exists";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle";
import { ownerReferencesPermissionEnforcement } from "./plugins/owner-references-permission-enforcement";
import { persistentVolumeClaimResize } from "./plugins/persistent-volume-claim-resize";
import { storageObjectInUseProtection } from "./plugins/storage-object-in-use-protection";

export const EVERY_PLUGIN: readonly PluginFactory[] = [
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  eventRateLimit,
  namespaceLifecycle,
  namespaceAutoProvision,
  namespaceExists,
  storageObjectInUseProtection,
  defaultStorageClass,
  defaultIngressClass,
  persistentVolumeClaimResize,
  denyServiceExternalIps,
  ownerReferencesPermissionEnforcement,
];
