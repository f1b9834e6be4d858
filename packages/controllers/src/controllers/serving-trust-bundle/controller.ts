import { vocabularyOf } from "@orch/schema";
import { defineController } from "../../framework/controller";
import { ROOT_AUTHORITY_FLAGS, rootAuthority } from "../../framework/root-authority";
import { BUNDLE_VERSIONS, publishTrustBundle } from "./publish-trust-bundle";

export const servingTrustBundleController = defineController({
  name: `${vocabularyOf("orch").rbacNames.servingTrustBundlePublisher}-controller`,
  alias: `${vocabularyOf("kubernetes").rbacNames.servingTrustBundlePublisher}-controller`,
  does: "publishes the CA of the API server as a cluster trust bundle",
  since: "1.33",
  needs: { group: "certificates", resource: "clustertrustbundles", versions: BUNDLE_VERSIONS },
  flags: ROOT_AUTHORITY_FLAGS,
  run: (context, options, signal) =>
    publishTrustBundle({ ...context, authority: rootAuthority(options, context.trusted, context.client.log) }, signal),
});
