import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { removeLostPods } from "./remove-lost-pods";

export const lostPodsController = defineController({
  name: "podgc",
  alias: "pod-garbage-collector-controller",
  does: "deletes pods that no node sees to any more",
  // The deletion of a node affects all its pods.
  rateFactor: 10,
  flags: section("Duties", {
    "terminated-pod-gc-threshold": {
      type: "int",
      default: "12500",
      help: "how many pods that have ended are kept, the newest; 0 or less: all",
    },
  }),
  run: (context, options, signal) =>
    removeLostPods({ ...context, endedMax: options["terminated-pod-gc-threshold"] }, signal),
});
