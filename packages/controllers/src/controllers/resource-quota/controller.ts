import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { reconcileUsage } from "./reconcile-usage";

export const resourceQuotaController = defineController({
  name: "resourcequota",
  alias: "resourcequota-controller",
  does: "maintains the usage of resource quotas",
  // After mass deletions, quotas must become available quickly.
  rateFactor: 20,
  flags: section("Controllers", {
    "concurrent-resource-quota-syncs": {
      type: "int",
      default: "5",
      min: 1,
      help: "number of concurrent workers for resource quotas",
    },
    "resource-quota-sync-period": {
      type: "duration",
      default: "5m0s",
      help: "interval at which the usage of all resource quotas is recalculated",
    },
  }),
  run: (context, options, signal) =>
    reconcileUsage(
      {
        ...context,
        workers: options["concurrent-resource-quota-syncs"],
        resyncMs: options["resource-quota-sync-period"],
      },
      signal,
    ),
});
