// When a request for a certificate is of no use any more. Source: facts, controllers.md "csrcleaner"; access-control, "Limits".
import { X509Certificate } from "node:crypto";
import { certificateBlocks, type Log } from "@orch/platform";
import { type CertificateRequest, conditionOf, type RequestCondition } from "../../manager/signing-requests";

const HOUR_MS = 60 * 60_000;
const ANSWERED_MAX_MS = HOUR_MS;
const PENDING_MAX_MS = 24 * HOUR_MS;

export function isStale(request: CertificateRequest, nowMs: number, log: Log): boolean {
  const isOld = (time: string | null | undefined, maxMs: number) =>
    time != null && time !== "" && nowMs - Date.parse(time) > maxMs;
  const isOldCondition = (condition: RequestCondition | undefined) => isOld(condition?.lastUpdateTime, ANSWERED_MAX_MS);
  const { metadata, status } = request;
  const approved = conditionOf(request, "Approved");
  const isIssued = approved !== undefined && !!status?.certificate;
  if (isIssued && (isOldCondition(approved) || hasEnded(request, nowMs, log))) return true;
  if (isOldCondition(conditionOf(request, "Denied")) || isOldCondition(conditionOf(request, "Failed"))) return true;
  return (status?.conditions ?? []).length === 0 && isOld(metadata?.creationTimestamp, PENDING_MAX_MS);
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
