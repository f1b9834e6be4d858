import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { collectPods } from "./collect-pods";

export const podGarbageController = defineController({
  name: "podgc",
  alias: "pod-garbage-collector-controller",
  does: "deletes orphaned and finished pods (pod garbage collection)",
  // The deletion of a node affects all its pods.
  rateFactor: 10,
  flags: section("Controllers", {
    "terminated-pod-gc-threshold": {
      type: "int",
      default: "12500",
      help: "number of finished pods that are kept, newest first; 0 or less: all",
    },
  }),
  run: (context, options, signal) =>
    collectPods({ ...context, endedMax: options["terminated-pod-gc-threshold"] }, signal),
});
