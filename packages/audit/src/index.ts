// Audit: events of requests, the policy that selects them, and the backends that receive them.

export type { Alone } from "./backends/log-file";
export type { AuditEvent, AuditInterest, AuditSink, AuditStage } from "./event/audit-event";
export { type AuditDeps, audit, auditRefused, auditUnauthenticated } from "./recording/audit-step";
export { auditUnread } from "./recording/audit-unread";
export { type OpenAudit, openAudit } from "./recording/open-audit";
export { NoRegularFileError, readTail, type TailPosition } from "./tail/audit-tail";
export { eventFilter, FILTER_NAMES } from "./tail/event-filter";
