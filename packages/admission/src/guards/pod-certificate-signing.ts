// Answers to pod certificate requests: a change of the status requires the permission `sign` on the signer. It is a
// guard and not a plugin, because the permission must not depend on a list of plugin names at server start. Source:
// pkg/registry/certificates/podcertificaterequest/strategy.go.
import { field, invalid, metaOf, sameJson } from "@orch/machinery";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";
import { mayOnSigner, signerOf } from "../requests/signer-permission";

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "authorizer">;

export function podCertificateSigning(dependencies: Dependencies): AdmissionGuard {
  const { certificates } = dependencies.vocabulary.groups;
  return {
    name: "PodCertificateSigning",
    on: [
      {
        operations: ["UPDATE"],
        resources: [{ group: certificates, plural: "podcertificaterequests", subresource: "status" }],
      },
    ],
    async check(request) {
      const { object = {}, oldObject = {}, user, definition } = request;
      if (sameJson(object["status"] ?? {}, oldObject["status"] ?? {})) return;
      const signer = signerOf(oldObject);
      if (await mayOnSigner(dependencies, request, { verb: "sign", signer })) return;
      const problem = `User ${JSON.stringify(user.name)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`;
      const { group, kind } = definition;
      throw invalid({ group, kind }, metaOf(oldObject).name ?? "", [field.forbidden("spec.signerName", problem)]);
    },
  };
}
