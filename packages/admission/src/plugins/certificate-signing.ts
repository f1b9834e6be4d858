// CertificateSigning plugin: requires the permission `sign` on the signer to set the certificate or conditions of a
// certificate signing request. Source: plugin/pkg/admission/certificates/signing/admission.go.
import { type AdmissionRequest, sameJson } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { definePlugin } from "../contract/plugin";
import { requireOnSigner, signingRequests } from "../requests/signer-permission";

export const certificateSigning = definePlugin({
  name: "CertificateSigning",
  reads: ["vocabulary", "authorizer"],
  make: (dependencies) => ({
    on: [{ operations: ["UPDATE"], resources: [signingRequests(dependencies.vocabulary, "status")] }],
    validate: (request) => (changesAnswer(request) ? requireOnSigner(dependencies, request, "sign") : undefined),
  }),
});

function changesAnswer({ object, oldObject }: AdmissionRequest): boolean {
  const [next, old] = [statusOf(object), statusOf(oldObject)];
  return (
    (next["certificate"] ?? "") !== (old["certificate"] ?? "") ||
    !sameJson(next["conditions"] ?? [], old["conditions"] ?? [])
  );
}

const statusOf = (object: JsonObject | undefined): JsonObject => (object?.["status"] ?? {}) as JsonObject;
