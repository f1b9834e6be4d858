// ClusterTrustBundleAttest plugin: requires the permission `attest` on the signer to publish its trust anchors. Source:
// plugin/pkg/admission/certificates/ctbattest/admission.go.
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";
import { changesOnlyCollectorMetadata } from "../requests/collector-metadata";
import { mayOnSigner, signerOf } from "../requests/signer-permission";

export const clusterTrustBundleAttest = definePlugin({
  name: "ClusterTrustBundleAttest",
  reads: ["vocabulary", "authorizer"],
  make(dependencies) {
    const { certificates } = dependencies.vocabulary.groups;
    const bundles = { group: certificates, plural: "clustertrustbundles", subresource: "" };
    return {
      on: [{ operations: ["CREATE", "UPDATE"], resources: [bundles] }],
      async validate(request) {
        const { object = {}, oldObject } = request;
        // The new signer counts: validation rejects a change of it.
        const signer = signerOf(object);
        if (signer === "" || (oldObject !== undefined && changesOnlyCollectorMetadata(object, oldObject))) return;
        if (!(await mayOnSigner(dependencies, request, { verb: "attest", signer })))
          throw forbidden(request, `user not permitted to attest for signerName ${JSON.stringify(signer)}`);
      },
    };
  },
});
