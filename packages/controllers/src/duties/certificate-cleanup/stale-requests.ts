// When a request for a certificate is deleted: an hour after the last change of its state where it is approved, denied or failed, a day
// after it where it is pending, and whenever its certificate has expired. Source: Kubernetes documentation, "Certificates and Certificate
// Signing Requests", lifecycle.
import { X509Certificate } from "node:crypto";
import { certificateBlocks, type Log } from "@orch/platform";
import type { CertificateRequest } from "../../manager/signing-requests";

const HOUR_MS = 60 * 60_000;
const ANSWERED_MAX_MS = HOUR_MS;
const PENDING_MAX_MS = 24 * HOUR_MS;

/** Conditions that answer a request. */
const ANSWERS = ["Approved", "Denied", "Failed"];

export function isStale(request: CertificateRequest, nowMs: number, log: Log): boolean {
  const { metadata, status } = request;
  if (status?.certificate && hasEnded(request, nowMs, log)) return true;
  const conditions = status?.conditions ?? [];
  const isAnswered = conditions.some(({ type }) => ANSWERS.includes(type));
  const changes = conditions.flatMap(({ lastUpdateTime, lastTransitionTime }) => [lastUpdateTime, lastTransitionTime]);
  const times = isAnswered ? changes : [metadata?.creationTimestamp, ...changes];
  const known = times.filter((time) => time != null && time !== "").map((time) => Date.parse(String(time)));
  // The server gives every condition its time. A request whose last change is not known is kept.
  return known.length > 0 && nowMs - Math.max(...known) > (isAnswered ? ANSWERED_MAX_MS : PENDING_MAX_MS);
}

/** Whether its certificate, the first of several, has. */
function hasEnded({ metadata, status }: CertificateRequest, nowMs: number, log: Log): boolean {
  const [first = ""] = certificateBlocks(Buffer.from(status?.certificate ?? "", "base64").toString("latin1"));
  try {
    return nowMs > Date.parse(new X509Certificate(first).validTo);
  } catch (error) {
    log.error("a certificate cannot be read", { request: metadata?.name ?? "", error: String(error) });
    return false;
  }
}
