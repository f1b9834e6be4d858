// Whoever approves or denies a request for a certificate may do so for its signer.
// Source: access-control, `CertificateApproval`; facts, admission/plugins.md "Certificates".
import { definePlugin } from "../plugin";
import { requireOnSigner, signingRequests } from "./signer-permission";

export const certificateApproval = definePlugin({
  name: "CertificateApproval",
  reads: ["vocabulary", "authorizer"],
  make: (world) => ({
    on: [{ operations: ["UPDATE"], resources: [signingRequests(world.vocabulary, "approval")] }],
    validate: (request) => requireOnSigner(world, request, "approve"),
  }),
});
