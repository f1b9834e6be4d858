// CertificateApproval plugin: requires the permission `approve` on the signer to approve or deny a certificate signing
// request. Source: plugin/pkg/admission/certificates/approval/admission.go.
import { definePlugin } from "../contract/plugin";
import { requireOnSigner, signingRequests } from "../requests/signer-permission";

export const certificateApproval = definePlugin({
  name: "CertificateApproval",
  reads: ["vocabulary", "authorizer"],
  make: (dependencies) => ({
    on: [{ operations: ["UPDATE"], resources: [signingRequests(dependencies.vocabulary, "approval")] }],
    validate: (request) => requireOnSigner(dependencies, request, "approve"),
  }),
});
