import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { keepResourceClaims } from "./keep-resource-claims";

export const resourceClaimsController = defineController({
  name: "resource-claim-controller",
  alias: "resourceclaim-controller",
  does: "creates resource claims of pods, and releases unused claims",
  since: "1.34",
  needs: { group: "resource", resource: "resourceclaims" },
  // Many pods may end together, and each claim takes several requests.
  rateFactor: 5,
  flags: section("Controllers", {
    "concurrent-resource-claim-syncs": {
      type: "int",
      default: "50",
      min: 1,
      help: "number of concurrent workers for resource claims",
    },
  }),
  run: (context, options, signal) =>
    keepResourceClaims({ ...context, workers: options["concurrent-resource-claim-syncs"] }, signal),
});
