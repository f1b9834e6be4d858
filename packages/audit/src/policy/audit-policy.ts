// The audit policy: which requests are audited, and at which level. Source: Kubernetes documentation, "Auditing",
// "Audit policy".
import type { AuditLevel, AuditStage } from "../event/audit-event";

export const AUDIT_STAGES = [
  "RequestReceived",
  "ResponseStarted",
  "ResponseComplete",
  "Panic",
] as const satisfies readonly AuditStage[];

/**
 * The parsed and validated policy, with its global settings copied into each rule. Plain data, so that it can be sent
 * between threads.
 */
export interface AuditPolicy {
  /** The first matching rule decides; without one, a request is not audited. */
  readonly rules: readonly AuditRule[];
}

/** An absent or empty list matches everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  /** The user is in at least one of these groups. */
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditedResources[];
  /** "" matches requests without a namespace. */
  readonly namespaces?: readonly string[];
  /** Exact paths, or prefixes that end in a star. */
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

export interface AuditedResources {
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/scale` or `*`; empty: all resources of the group. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}
