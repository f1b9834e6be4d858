// Validation of the answers of signers to pod certificate requests. An answer is final. Source:
// pkg/apis/certificates/validation/validation.go, `ValidatePodCertificateRequestStatusUpdate`.
import { type KeyObject, X509Certificate } from "node:crypto";
import { conditions, type Place, type Report, sameValue, updateValidator } from "@orch/apis-model";
import type { certificatesV1beta1, JsonValue, metaV1 } from "@orch/schema";
import { type PemBlock, pemBlocks } from "./pem-blocks";
import { bytesOf, orUndefined, pkixKey } from "./pod-request-validation";
import { publicKeyOf } from "./request-key";
import { readSigningRequest } from "./signing-request";

type PodRequest = certificatesV1beta1.PodCertificateRequest;
type Spec = certificatesV1beta1.PodCertificateRequestSpec;
type Status = certificatesV1beta1.PodCertificateRequestStatus;

const ANSWERS = ["Issued", "Denied", "Failed"];
const CHAIN_MAX_BYTES = 100 * 1024;
const MINUTE_MS = 60_000;
const LIFETIME_MIN_MS = 60 * MINUTE_MS;
/** Maximum distance of the beginning of a certificate from the server's clock. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;
const REFRESH_MARGIN_MS = 10 * MINUTE_MS;

const answerOf = ({ status }: PodRequest): string | undefined =>
  status?.conditions?.find(({ type, status: value }) => ANSWERS.includes(type) && value === "True")?.type;

export const validatePodRequestStatus = updateValidator<PodRequest>((next, old, root, report) => {
  const at = root.field("status");
  const status: Status = next.status ?? {};
  answers(status.conditions ?? [], at.field("conditions"), report);
  conditions(status.conditions ?? [], at.field("conditions"), report);
  if (report.errors.length > 0) return;
  const fixed = (to: Status, detail: string) => {
    if (!sameValue(status as JsonValue, to as JsonValue)) report.invalid(at, "", detail);
  };
  if (answerOf(old) !== undefined) {
    return fixed(old.status ?? {}, "immutable after PodCertificateRequest is issued, denied, or failed");
  }
  switch (answerOf(next)) {
    case "Issued":
      return issued(status, old.spec, { at, report });
    case undefined:
      return fixed(old.status ?? {}, 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
    default: {
      const { conditions: given = [] } = status;
      const detail = "non-condition status fields must be empty when denying or failing the PodCertificateRequest";
      return fixed({ conditions: given }, detail);
    }
  }
});

/** The paths are those that Kubernetes reports: a dot precedes the index. */
function answers(given: readonly metaV1.Condition[], at: Place, report: Report): void {
  let count = 0;
  for (const [position, { type, status }] of given.entries()) {
    const place = at.field(`[${position}]`);
    if (!ANSWERS.includes(type)) {
      report.notSupported(place.field("type"), type, [...ANSWERS].sort());
      continue;
    }
    count += 1;
    if (count > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      report.invalid(place.field("type"), type, detail);
    }
    if (status !== "True") report.notSupported(place.field("status"), status, ["True"]);
  }
}

interface Where {
  readonly at: Place;
  readonly report: Report;
}

function issued(status: Status, spec: Spec, { at, report }: Where) {
  const place = at.field("certificateChain");
  const text = status.certificateChain ?? "";
  if (Buffer.byteLength(text) > CHAIN_MAX_BYTES) return report.tooLong(place, CHAIN_MAX_BYTES);
  const blocks = pemBlocks(text);
  const first = blocks.next().value ?? undefined;
  if (first === undefined)
    return report.invalid(place, text, "issued certificate chain must contain at least one certificate");
  if (first.label !== "CERTIFICATE") return report.invalid(place, text, ONLY_CERTIFICATES);
  const leaf = certificateIn(first);
  if (leaf === undefined) return report.invalid(place, text, "leaf certificate does not parse as valid X.509");
  if (requestedKey(spec)?.equals(leaf.publicKey) !== true)
    return report.invalid(place, text, "leaf certificate was not issued to the requested public key");
  if (!hasTimes(status, leaf, spec, { at, report })) return;
  for (const block of blocks) {
    if (block.label !== "CERTIFICATE") return report.invalid(place, text, ONLY_CERTIFICATES);
    if (certificateIn(block) === undefined)
      return report.invalid(place, text, "intermediate certificate does not parse as valid X.509");
  }
}

const ONLY_CERTIFICATES = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks";

const certificateIn = ({ bytes }: PemBlock): X509Certificate | undefined =>
  orUndefined(() => new X509Certificate(bytes));

function requestedKey({ stubPKCS10Request, pkixPublicKey }: Spec): KeyObject | undefined {
  if (!stubPKCS10Request) return pkixKey(bytesOf(pkixPublicKey));
  return orUndefined(() => publicKeyOf(readSigningRequest(bytesOf(stubPKCS10Request)).key));
}

function hasTimes(status: Status, leaf: X509Certificate, spec: Spec, { at, report }: Where): boolean {
  const { notBefore, notAfter, beginRefreshAt } = status;
  const consistent = "must be present and consistent with the issued certificate";
  if (!notBefore) report.required(at.field("notBefore"), consistent);
  if (!notAfter) report.required(at.field("notAfter"), consistent);
  if (!beginRefreshAt)
    report.required(at.field("beginRefreshAt"), "must be present and in the range [notbefore+10min, notafter-10min]");
  if (!notBefore || !notAfter || !beginRefreshAt) return false;
  const problem = timeProblem(
    { from: Date.parse(notBefore), to: Date.parse(notAfter), refresh: Date.parse(beginRefreshAt) },
    { from: Date.parse(leaf.validFrom), to: Date.parse(leaf.validTo) },
    { maxSeconds: spec.maxExpirationSeconds ?? 0, nowMs: report.nowMs() },
  );
  if (problem === undefined) return true;
  const [field, detail] = problem;
  report.invalid(at.field(field), field === "certificateChain" ? "" : status[field], detail);
  return false;
}

interface Times {
  readonly from: number;
  readonly to: number;
}

type TimeField = "notBefore" | "notAfter" | "beginRefreshAt" | "certificateChain";

function timeProblem(
  said: Times & { readonly refresh: number },
  leaf: Times,
  { maxSeconds, nowMs }: { readonly maxSeconds: number; readonly nowMs: number },
): readonly [TimeField, string] | undefined {
  if (said.from !== leaf.from)
    return ["notBefore", "must be set to the NotBefore time encoded in the leaf certificate"];
  if (Math.abs(said.from - nowMs) >= CLOCK_SKEW_MS)
    return ["notBefore", "must be set to within 5 minutes of the server's current time"];
  if (said.to !== leaf.to) return ["notAfter", "must be set to the NotAfter time encoded in the leaf certificate"];
  if (leaf.to - leaf.from < LIFETIME_MIN_MS) return ["certificateChain", "leaf certificate lifetime must be >= 1 hour"];
  if (leaf.to - leaf.from > maxSeconds * 1000)
    return ["certificateChain", `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`];
  if (said.refresh < said.from + REFRESH_MARGIN_MS)
    return ["beginRefreshAt", "must be at least 10 minutes after status.notBefore"];
  if (said.refresh > said.to - REFRESH_MARGIN_MS)
    return ["beginRefreshAt", "must be at least 10 minutes before status.notAfter"];
  return undefined;
}
