// Controller that signs approved certificate signing requests. Source: pkg/controller/certificates/signer/signer.go.
import { isSignedByItsKey } from "@orch/apis";
import type { Client, EventSink, QueueMetrics, ResourceClient } from "@orch/client";
import { messageOf } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import type { SharedViews } from "../../framework/shared-views";
import {
  asked,
  type CertificateRequest,
  conditionOf,
  followRequests,
  requestType,
  usagesOf,
  withCondition,
  withoutCondition,
} from "../../framework/signing-requests";
import { lifeOf } from "./certificate-life";
import { issueCertificate } from "./issue-certificate";
import { keyUsagesOf } from "./key-usages";
import { flawFor, SIGNER_IDS, type SignerId } from "./signers";
import type { SigningAuthority } from "./signing-authority";

export interface SignRequestsOptions {
  readonly client: Client;
  /** Release that the server emulates: `1.23`. */
  readonly release: string;
  readonly views: SharedViews;
  readonly events: EventSink;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** Current signing certificates by signer. A signer without one signs nothing. */
  readonly authorities: ReadonlyMap<SignerId, () => Promise<SigningAuthority>>;
  readonly durationMs: number;
}

/** Reason of the Failed condition for a request that the signer will never sign. */
const FLAWED = "SignerValidationFailure";
/**
 * Reason of the event, and type of the condition, for an approved request whose signer has no certificate. The condition
 * goes when the request is signed. An unknown signer gets the event alone: the role of this controller allows it to
 * change the status of requests for its own signers only.
 */
const NOT_CONFIGURED = "SignerNotConfigured";

/** Runs the controller until the signal is aborted. */
export async function signRequests(options: SignRequestsOptions, signal: AbortSignal): Promise<void> {
  const { client, release, events, authorities, durationMs } = options;
  const { signers } = vocabularyOf(client.vocabulary);
  const terms = { release, durationMs };

  const ownDomain = domainOf(signers.apiserverClient);

  async function seeTo(request: CertificateRequest, requests: ResourceClient<CertificateRequest>): Promise<void> {
    const { signerName } = request.spec;
    const signer = SIGNER_IDS.find((id) => signers[id] === signerName);
    if (signer === undefined) {
      // Other domains may have signers that run elsewhere.
      if (domainOf(signerName) === ownDomain) tell(request, "UnknownSigner", `the signer ${signerName} does not exist`);
      return;
    }
    if (!isToBeSigned(request)) return;
    const authority = authorities.get(signer);
    if (authority === undefined) {
      const remedy = "start the controller manager with --cluster-signing-cert-file and --cluster-signing-key-file";
      const message = `${signerName} has no signing certificate: ${remedy}`;
      tell(request, NOT_CONFIGURED, message);
      if (conditionOf(request, NOT_CONFIGURED) !== undefined) return;
      const condition = { type: NOT_CONFIGURED, reason: NOT_CONFIGURED, message };
      await requests.updateStatus(withCondition(request, condition, client.clock.now()));
      return;
    }
    const answer = await signed(request, signer, authority);
    const failed = conditionOf(answer, "Failed");
    if (failed !== undefined) tell(request, failed.reason ?? FLAWED, failed.message ?? "");
    await requests.updateStatus(answer);
  }

  async function signed(
    request: CertificateRequest,
    signer: SignerId,
    authority: () => Promise<SigningAuthority>,
  ): Promise<CertificateRequest> {
    try {
      const nowMs = client.clock.now();
      return await answerTo(request, { signer, authority: await authority(), ...terms, nowMs });
    } catch (error) {
      tell(request, "SigningFailed", `retrying: ${messageOf(error)}`);
      throw error;
    }
  }

  function tell({ metadata = {} }: CertificateRequest, reason: string, note: string): void {
    const { name = "", uid = "" } = metadata;
    const { group, version, kind } = requestType(client, release);
    const regarding = { apiVersion: `${group}/${version}`, kind, name, uid };
    events.record({ regarding, type: "Warning", reason, action: "Sign", note });
  }

  await followRequests({ ...options, queue: "certificate", release, seeTo }, signal);
}

const domainOf = (signerName: string): string => signerName.split("/", 1)[0] ?? "";

function isToBeSigned(request: CertificateRequest): boolean {
  if (conditionOf(request, "Approved") === undefined || conditionOf(request, "Denied") !== undefined) return false;
  return conditionOf(request, "Failed")?.status !== "True";
}

export interface AnswerOptions {
  readonly signer: SignerId;
  readonly authority: SigningAuthority;
  /** Release of the server. */
  readonly release: string;
  readonly durationMs: number;
  readonly nowMs: number;
}

/**
 * Answers a request.
 * @returns the request with its certificate, or with a Failed condition
 * @throws Error when it cannot be signed at the moment
 */
export async function answerTo(
  request: CertificateRequest,
  { signer, authority, release, durationMs, nowMs }: AnswerOptions,
): Promise<CertificateRequest> {
  const wanted = asked(request);
  const usages = usagesOf(request);
  const open = withoutCondition(request, NOT_CONFIGURED);
  const flaw =
    flawFor(signer, wanted, usages) ??
    (isSignedByItsKey(wanted) ? undefined : "spec.request: must be signed with its own key");
  if (flaw !== undefined) {
    return withCondition(open, { type: "Failed", reason: FLAWED, message: flaw }, nowMs);
  }
  const { expirationSeconds } = request.spec;
  const life = lifeOf({ release, durationMs, authorityEndMs: authority.endMs, nowMs, expirationSeconds });
  const certificate = await issueCertificate({ request: wanted, usages: keyUsagesOf(usages), life }, authority);
  return { ...open, status: { ...open.status, certificate: Buffer.from(certificate).toString("base64") } };
}
