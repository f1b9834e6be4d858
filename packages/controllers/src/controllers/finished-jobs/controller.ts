import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { removeFinishedJobs } from "./remove-finished-jobs";

export const finishedJobsController = defineController({
  name: "ttl-after-finished",
  alias: "ttl-after-finished-controller",
  does: "deletes finished jobs after their ttlSecondsAfterFinished",
  needs: { group: "batch", resource: "jobs" },
  // Many jobs may finish together, and each takes two requests.
  rateFactor: 5,
  flags: section("Controllers", {
    "concurrent-ttl-after-finished-syncs": {
      type: "int",
      default: "5",
      min: 1,
      help: "number of concurrent workers for finished jobs",
    },
  }),
  run: (context, options, signal) =>
    removeFinishedJobs({ ...context, workers: options["concurrent-ttl-after-finished-syncs"] }, signal),
});
