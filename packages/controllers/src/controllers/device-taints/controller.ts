import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { evictTaintedPods } from "./evict-tainted-pods";

export const deviceTaintsController = defineController({
  name: "device-taint-eviction-controller",
  alias: "device-taint-eviction-controller",
  does: "evicts pods whose devices have untolerated NoExecute taints",
  since: "1.36",
  needs: { group: "resource", resource: "resourceslices" },
  flags: section("Controllers", {
    "concurrent-device-taint-eviction-syncs": {
      type: "int",
      default: "8",
      min: 1,
      help: "number of concurrent workers for the eviction of pods with tainted devices",
    },
  }),
  run: (context, options, signal) =>
    evictTaintedPods({ ...context, workers: options["concurrent-device-taint-eviction-syncs"] }, signal),
});
