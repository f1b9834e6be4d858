// Every plugin that there is; where each runs, plugin-order.ts says.
import type { PluginFactory } from "./plugin";
import { certificateApproval } from "./plugins/certificate-approval";
import { certificateSigning } from "./plugins/certificate-signing";
import { certificateSubjectRestriction } from "./plugins/certificate-subject-restriction";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle";
import { mutatingAdmissionPolicy } from "./policies/mutating-admission-policy";
import { validatingAdmissionPolicy } from "./policies/validating-admission-policy";
import { mutatingAdmissionWebhook } from "./webhooks/mutating-webhooks";
import { validatingAdmissionWebhook } from "./webhooks/validating-webhooks";

export const EVERY_PLUGIN: readonly PluginFactory[] = [
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  namespaceLifecycle,
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  mutatingAdmissionWebhook,
  validatingAdmissionWebhook,
];
