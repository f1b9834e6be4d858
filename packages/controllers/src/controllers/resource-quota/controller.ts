import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { keepUsage } from "./keep-usage";

export const resourceQuotaController = defineController({
  name: "resourcequota",
  alias: "resourcequota-controller",
  does: "adds up what counts towards resource quotas",
  // After mass deletions, quotas must become available quickly.
  rateFactor: 20,
  flags: section("Duties", {
    "concurrent-resource-quota-syncs": {
      type: "int",
      default: "5",
      min: 1,
      help: "resource quotas whose usage is added up at once",
    },
    "resource-quota-sync-period": {
      type: "duration",
      default: "5m0s",
      help: "how often the usage of all resource quotas is added up, changed or not",
    },
  }),
  run: (context, options, signal) =>
    keepUsage(
      {
        ...context,
        workers: options["concurrent-resource-quota-syncs"],
        resyncMs: options["resource-quota-sync-period"],
      },
      signal,
    ),
});
