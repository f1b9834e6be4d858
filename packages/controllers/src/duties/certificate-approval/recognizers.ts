// Which requests may be approved without a person, and by whose leave. Source: facts, controllers.md "csrapproving".
import type { Vocabulary } from "@orch/schema";
import { nodeClientFlaw } from "../../manager/node-requests";
import { asked, type CertificateRequest, usagesOf } from "../../manager/signing-requests";

export interface Recognizer {
  /** Of requests: who may create it has theirs approved. */
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
 * In the order in which to ask; none where a person decides.
 * @throws RangeError for a request that cannot be read
 */
export function recognizersOf(request: CertificateRequest, { signers }: Vocabulary): readonly Recognizer[] {
  const { spec } = request;
  const wanted = asked(request);
  if (spec.signerName !== signers.apiserverClientAgent) return [];
  if (nodeClientFlaw(wanted, usagesOf(request)) !== undefined) return [];
  return wanted.commonName === spec.username ? [SELF, NODE] : [NODE];
}
