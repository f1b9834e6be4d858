// What an operator wants to be kept of which requests. Source: facts, flags.json "files.auditPolicy".
import type { AuditLevel, AuditStage } from "../audit-event";

export const AUDIT_STAGES = [
  "RequestReceived",
  "ResponseStarted",
  "ResponseComplete",
  "Panic",
] as const satisfies readonly AuditStage[];

/** As read, checked and with what is said for all rules in each: data alone, so that it can come from another thread. */
export interface AuditPolicy {
  /** The first that matches a request decides; where none does, nothing is kept of it. */
  readonly rules: readonly AuditRule[];
}

/** Of what is absent or empty, all match. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  /** The user is in any of them. */
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditedResources[];
  /** "": what is in none. */
  readonly namespaces?: readonly string[];
  /** To the letter, or up to a star at the end. */
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

export interface AuditedResources {
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*\/scale` or `*`; none: all of the group. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}
