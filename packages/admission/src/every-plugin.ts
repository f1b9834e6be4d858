// Every plugin that there is; where each runs, plugin-order.ts says.
import type { PluginFactory } from "./plugin";
import { certificateApproval } from "./plugins/certificate-approval";
import { certificateSigning } from "./plugins/certificate-signing";
import { certificateSubjectRestriction } from "./plugins/certificate-subject-restriction";
import { namespaceLifecycle } from "./plugins/namespace-lifecycle";
import { podSecurity } from "./plugins/pod-security/pod-security";
import { podSecurityPolicy } from "./plugins/pod-security-policy/pod-security-policy";

export const EVERY_PLUGIN: readonly PluginFactory[] = [
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  namespaceLifecycle,
  podSecurity,
  podSecurityPolicy,
];
