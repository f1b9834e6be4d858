import { defineController } from "../../framework/controller";
import { cleanPodRequests, REQUEST_VERSIONS } from "./clean-pod-requests";

export const podCertificateCleanupController = defineController({
  name: "podcertificaterequest-cleaner",
  alias: "podcertificaterequest-cleaner-controller",
  does: "deletes old pod certificate requests",
  since: "1.35",
  needs: { group: "certificates", resource: "podcertificaterequests", versions: REQUEST_VERSIONS },
  flags: {},
  run: (context, _options, signal) => cleanPodRequests(context, signal),
});
