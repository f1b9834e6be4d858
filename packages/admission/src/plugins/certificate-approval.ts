// Whoever approves or denies a request for a certificate may do so for its signer.
// Source: access-control, `CertificateApproval`; facts, admission/plugins.md "Certificates".
import { definePlugin } from "../plugin";
import { isOfSigningRequests, requireOnSigner } from "./signer-permission";

export const certificateApproval = definePlugin({
  name: "CertificateApproval",
  reads: ["vocabulary", "authorizer"],
  make: (world) => ({
    operations: ["UPDATE"],
    validate(request) {
      if (!isOfSigningRequests(request, world.vocabulary, "approval")) return;
      return requireOnSigner(world, request, "approve");
    },
  }),
});
