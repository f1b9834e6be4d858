// CertificateSubjectRestriction plugin: refuses certificate signing requests for API client certificates of the group
// system:masters. Source: plugin/pkg/admission/certificates/subjectrestriction/admission.go.
import { parseSigningRequest } from "@orch/apis";
import { PRIVILEGED_GROUP } from "@orch/auth";
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { signerOf, signingRequests } from "../requests/signer-permission";

export const certificateSubjectRestriction = definePlugin({
  name: "CertificateSubjectRestriction",
  reads: ["vocabulary"],
  make: ({ vocabulary }) => ({
    on: [{ operations: ["CREATE"], resources: [signingRequests(vocabulary, "")] }],
    validate: (request) => restrict(request, vocabulary),
  }),
});

function restrict(request: AdmissionRequest, { signers }: Vocabulary): void {
  const { object } = request;
  if (signerOf(object) !== signers.apiserverClient) return;
  const { request: encoded = "" } = (object?.["spec"] ?? {}) as { readonly request?: string };
  const asked = parseSigningRequest(Buffer.from(encoded, "base64").toString("latin1"));
  if (asked === undefined) throw forbidden(request, "failed to parse CSR: it is not a certificate signing request");
  if (asked.organizations.includes(PRIVILEGED_GROUP)) {
    throw forbidden(request, `use of ${signers.apiserverClient} signer with ${PRIVILEGED_GROUP} group is not allowed`);
  }
}
