// Signs what is approved, each signer what it is asked for. Source: facts, controllers.md "csrsigning".
import { isSignedByItsKey } from "@orch/apis";
import type { Client, QueueMetrics, ResourceClient } from "@orch/client";
import { vocabularyOf } from "@orch/schema";
import type { SharedViews } from "../../manager/shared-views";
import {
  asked,
  type CertificateRequest,
  conditionOf,
  followRequests,
  usagesOf,
  withCondition,
} from "../../manager/signing-requests";
import { lifeOf } from "./certificate-life";
import { issueCertificate } from "./issue-certificate";
import { keyUsagesOf } from "./key-usages";
import { flawFor, SIGNER_IDS, type SignerId } from "./signers";
import type { SigningAuthority } from "./signing-authority";

export interface SignRequestsOptions {
  readonly client: Client;
  /** That the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** Of those who sign here, as they are at the moment. */
  readonly authorities: ReadonlyMap<SignerId, () => Promise<SigningAuthority>>;
  readonly durationMs: number;
}

/** Works until the signal is aborted. */
export async function signRequests(options: SignRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, release, authorities, durationMs } = options;
  const { signers } = vocabularyOf(client.vocabulary);
  const terms = { release, durationMs };

  async function seeTo(request: CertificateRequest, requests: ResourceClient<CertificateRequest>): Promise<void> {
    const signer = SIGNER_IDS.find((id) => signers[id] === request.spec.signerName);
    const authority = signer === undefined ? undefined : authorities.get(signer);
    if (signer === undefined || authority === undefined || !isToBeSigned(request)) return;
    const answer = await answerTo(request, {
      signer,
      authority: await authority(),
      ...terms,
      nowMs: client.clock.now(),
    });
    await requests.updateStatus(answer);
  }
  await followRequests({ ...options, queue: "certificate", release, seeTo }, signal);
}

function isToBeSigned(request: CertificateRequest): boolean {
  if (conditionOf(request, "Approved") === undefined || conditionOf(request, "Denied") !== undefined) return false;
  return conditionOf(request, "Failed")?.status !== "True";
}

export interface AnswerOptions {
  readonly signer: SignerId;
  readonly authority: SigningAuthority;
  /** Of the server. */
  readonly release: string;
  readonly durationMs: number;
  readonly nowMs: number;
}

/**
 * @returns the request with its certificate, or with why there will never be one
 * @throws Error where there is none at the moment
 */
export async function answerTo(
  request: CertificateRequest,
  { signer, authority, release, durationMs, nowMs }: AnswerOptions,
): Promise<CertificateRequest> {
  const wanted = asked(request);
  const usages = usagesOf(request);
  const flaw = flawFor(signer, wanted, usages);
  if (flaw !== undefined) {
    return withCondition(request, { type: "Failed", reason: "SignerValidationFailure", message: flaw }, nowMs);
  }
  if (!isSignedByItsKey(wanted)) throw new Error("the request is not signed with its key");
  const { expirationSeconds } = request.spec;
  const life = lifeOf({ release, durationMs, authorityEndMs: authority.endMs, nowMs, expirationSeconds });
  const certificate = await issueCertificate({ request: wanted, usages: keyUsagesOf(usages), life }, authority);
  return { ...request, status: { ...request.status, certificate: Buffer.from(certificate).toString("base64") } };
}
