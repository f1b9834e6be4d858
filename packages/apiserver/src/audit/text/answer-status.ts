// What became of the request, as its event says it. Source: facts, http.md "Audit", responseStatus.
import type { AuditEvent } from "../audit-event";
import { quoted } from "./quoted";

/** As a member, with its comma; "" before there is an answer. */
export function answerStatus({ code, status, answered, remark }: AuditEvent): string {
  if (code === undefined) return "";
  if (!answered) return CLOSED_EARLY;
  const message = remark === undefined ? "" : `,"message":${quoted(remark)}`;
  if (status === undefined) return `,"responseStatus":{"metadata":{}${message},"code":${code}}`;
  const { status: outcome = "", reason = "" } = status;
  return `,"responseStatus":{"metadata":{}${outcome && `,"status":${quoted(outcome)}`}${message}${reason && `,"reason":${quoted(reason)}`},"code":${code}}`;
}

const CLOSED_EARLY =
  ',"responseStatus":{"metadata":{},"status":"Success","message":"Connection closed early","code":200}';
