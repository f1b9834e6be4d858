// The responseStatus of an audit event. Source: staging/src/k8s.io/apiserver/pkg/apis/audit/types.go.
import type { AuditEvent } from "../event/audit-event";
import { quoted, type Text, textOf } from "./quoted";

/** Returns the JSON member with its comma; "" before there is an answer. */
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

/** Status of most answers: the code alone. */
function plainStatus(code: number): Text {
  let text = plain.get(code);
  if (text === undefined) {
    text = textOf(`,"responseStatus":{"metadata":{},"code":${code}}`);
    // Bounds the cache: aggregated API servers may answer with any code.
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
