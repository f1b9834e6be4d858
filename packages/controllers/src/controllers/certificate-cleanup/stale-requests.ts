// Age at which a certificate signing request is deleted: an hour after its last condition change when it is approved,
// denied or failed, a day when it is pending, and at once when its certificate has expired. Source: Kubernetes
// documentation, "Certificates and Certificate Signing Requests", "Request signing process".
import { X509Certificate } from "node:crypto";
import { certificateBlocks, type Log } from "@orch/platform";
import type { CertificateRequest } from "../../framework/signing-requests";

const HOUR_MS = 60 * 60_000;
const ANSWERED_MAX_MS = HOUR_MS;
const PENDING_MAX_MS = 24 * HOUR_MS;

/** Condition types that end the pending state. */
const ANSWERS = ["Approved", "Denied", "Failed"];

export function isStale(request: CertificateRequest, nowMs: number, log: Log): boolean {
  const { metadata, status } = request;
  if (status?.certificate && hasEnded(request, nowMs, log)) return true;
  const conditions = status?.conditions ?? [];
  const isAnswered = conditions.some(({ type }) => ANSWERS.includes(type));
  const changes = conditions.flatMap(({ lastUpdateTime, lastTransitionTime }) => [lastUpdateTime, lastTransitionTime]);
  const times = isAnswered ? changes : [metadata?.creationTimestamp, ...changes];
  const known = times.filter((time) => time != null && time !== "").map((time) => Date.parse(String(time)));
  // The server sets the time of every condition. A request whose last change is unknown is kept.
  return known.length > 0 && nowMs - Math.max(...known) > (isAnswered ? ANSWERED_MAX_MS : PENDING_MAX_MS);
}

/** Returns whether the first certificate of the request has expired. */
function hasEnded({ metadata, status }: CertificateRequest, nowMs: number, log: Log): boolean {
  const [first = ""] = certificateBlocks(Buffer.from(status?.certificate ?? "", "base64").toString("latin1"));
  try {
    return nowMs > Date.parse(new X509Certificate(first).validTo);
  } catch (error) {
    log.error("a certificate cannot be read", { request: metadata?.name ?? "", error: String(error) });
    return false;
  }
}
