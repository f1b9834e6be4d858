// Audit event of a request that could not be parsed as HTTP and never entered the pipeline: an unknown method or a
// broken header. The user is unknown, and only the request line is available.
import { randomUUID } from "node:crypto";
import type { UnreadRequest } from "@orch/http-server";
import type { Status } from "@orch/machinery";
import { errorFields, type Log } from "@orch/platform";
import { unreadable } from "@orch/request";
import type { AuditEvent, AuditedRequest, AuditSink } from "../event/audit-event";
import { wallTime } from "./audit-record";

const STAGE = "ResponseComplete";

export function auditUnread(sinks: readonly AuditSink[], logger: Log): (unread: UnreadRequest) => void {
  return ({ method, target: uri, address, answer }) => {
    const receivedAt = wallTime(performance.now());
    const subject = { info: unreadable(method, uri, answer.message ?? ""), user: NOBODY };
    const about = { id: randomUUID(), method, uri, headers: {}, address, receivedAt, note: undefined };
    const request: AuditedRequest = { ...subject, ...about };
    for (const sink of sinks) {
      try {
        const interest = sink.wants(subject);
        if (interest === undefined || interest.omits.has(STAGE)) continue;
        const { level, omitManagedFields } = interest;
        const told = sink.hear({ ...eventOf(request, answer), level, omitManagedFields });
        if (told instanceof Promise) told.catch((error: unknown) => lost(logger, error));
      } catch (error) {
        lost(logger, error);
      }
    }
  };
}

const NOBODY = Object.freeze({ name: "", groups: [] });

const lost = (logger: Log, error: unknown): void =>
  logger.error("an audit event was dropped", { stage: STAGE, ...errorFields(error) });

const eventOf = (request: AuditedRequest, status: Status): Omit<AuditEvent, "level" | "omitManagedFields"> => ({
  stage: STAGE,
  stageAt: request.receivedAt,
  request,
  impersonated: undefined,
  code: status.code,
  status,
  answered: true,
  remark: undefined,
  sent: undefined,
  annotations: {},
  requestBody: undefined,
  responseBody: undefined,
  isCut: false,
});
