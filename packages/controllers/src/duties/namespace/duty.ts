import { section } from "@orch/machinery";
import { defineDuty } from "../../manager/duty";
import { endNamespaces } from "./end-namespaces";

export const namespaceDuty = defineDuty({
  name: "namespace",
  alias: "namespace-controller",
  does: "empties namespaces that are being deleted",
  // It ends objects by the thousand, one or two requests each.
  rateFactor: 20,
  flags: section("Duties", {
    "concurrent-namespace-syncs": { type: "int", default: "10", min: 1, help: "namespaces emptied at once" },
  }),
  run: (context, options, signal) =>
    endNamespaces({ ...context, workers: options["concurrent-namespace-syncs"] }, signal),
});
