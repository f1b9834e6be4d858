import { defineController } from "../../framework/controller";
import { cleanRequests } from "./clean-requests";

export const certificateCleanupController = defineController({
  name: "csrcleaner",
  alias: "certificatesigningrequest-cleaner-controller",
  does: "deletes old certificate signing requests",
  needs: { group: "certificates", resource: "certificatesigningrequests" },
  flags: {},
  run: (context, _options, signal) => cleanRequests(context, signal),
});
