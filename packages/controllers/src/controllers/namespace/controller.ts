import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { endNamespaces } from "./end-namespaces";

export const namespaceController = defineController({
  name: "namespace",
  alias: "namespace-controller",
  does: "empties namespaces that are being deleted",
  // The controller deletes thousands of objects, with one or two requests each.
  rateFactor: 20,
  flags: section("Duties", {
    "concurrent-namespace-syncs": { type: "int", default: "10", min: 1, help: "namespaces emptied at once" },
    "namespace-sync-period": {
      type: "duration",
      default: "5m0s",
      min: 0,
      max: 12 * 24 * 3_600_000,
      help: "how often all namespaces are looked at again, changed or not; 0: never",
    },
  }),
  run: (context, options, signal) =>
    endNamespaces(
      {
        ...context,
        workers: options["concurrent-namespace-syncs"],
        resyncMs: options["namespace-sync-period"],
      },
      signal,
    ),
});
