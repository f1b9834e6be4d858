// Requests that are approved automatically, and the permission they require. Source:
// pkg/controller/certificates/approver/sarapprove.go.
import type { Vocabulary } from "@orch/schema";
import { nodeClientFlaw } from "../../framework/node-requests";
import { asked, type CertificateRequest, usagesOf } from "../../framework/signing-requests";

export interface Recognizer {
  /** Subresource of certificate signing requests. A user who may create it gets matching requests approved. */
  readonly subresource: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const SELF: Recognizer = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const NODE: Recognizer = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/**
 * Returns the recognizers in the order in which they are checked; empty when a user must decide.
 * @throws RangeError for an unreadable request
 */
export function recognizersOf(request: CertificateRequest, { signers }: Vocabulary): readonly Recognizer[] {
  const { spec } = request;
  const wanted = asked(request);
  if (spec.signerName !== signers.apiserverClientAgent) return [];
  if (nodeClientFlaw(wanted, usagesOf(request)) !== undefined) return [];
  return wanted.commonName === spec.username ? [SELF, NODE] : [NODE];
}
