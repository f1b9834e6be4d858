import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { endNamespaces } from "./end-namespaces";

export const namespaceController = defineController({
  name: "namespace",
  alias: "namespace-controller",
  does: "deletes the content of terminating namespaces",
  // The controller deletes thousands of objects, with one or two requests each.
  rateFactor: 20,
  flags: section("Controllers", {
    "concurrent-namespace-syncs": {
      type: "int",
      default: "10",
      min: 1,
      help: "number of concurrent workers for namespaces",
    },
    "namespace-sync-period": {
      type: "duration",
      default: "5m0s",
      min: 0,
      max: 12 * 24 * 3_600_000,
      help: "resync interval of namespaces; 0: never",
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
