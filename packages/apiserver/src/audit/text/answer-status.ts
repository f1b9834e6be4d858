// What became of the request, as its event says it. Source: facts, http.md "Audit", responseStatus.
import type { AuditEvent } from "../audit-event";
import { quoted, type Text, textOf } from "./quoted";

/** As a member, with its comma; "" before there is an answer. */
export function answerStatus({ code, status, answered, remark }: AuditEvent): Text {
  if (code === undefined) return NOTHING;
  if (!answered) return CLOSED_EARLY;
  if (status === undefined && remark === undefined) return plainStatus(code);
  const { status: outcome = "", reason = "" } = status ?? {};
  const message = remark === undefined ? "" : `,"message":${quoted(remark)}`;
  return textOf(
    `,"responseStatus":{"metadata":{}${outcome && `,"status":${quoted(outcome)}`}${message}${reason && `,"reason":${quoted(reason)}`},"code":${code}}`,
  );
}

/** What most requests are answered. */
function plainStatus(code: number): Text {
  let text = plain.get(code);
  if (text === undefined) {
    text = textOf(`,"responseStatus":{"metadata":{},"code":${code}}`);
    // Other servers' codes may be any number.
    if (plain.size >= CODES_MAX) plain.clear();
    plain.set(code, text);
  }
  return text;
}

const CODES_MAX = 100;
const plain = new Map<number, Text>();

const NOTHING: Text = { text: "", isAscii: true };
const CLOSED_EARLY = textOf(
  ',"responseStatus":{"metadata":{},"status":"Success","message":"Connection closed early","code":200}',
);
