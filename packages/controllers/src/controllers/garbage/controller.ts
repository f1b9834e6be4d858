import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { collectGarbage } from "./garbage-collector";

export const garbageController = defineController({
  name: "garbagecollector",
  alias: "garbage-collector-controller",
  does: "deletes objects whose owners do not exist (garbage collection)",
  // Garbage collection deletes thousands of objects, with one or two requests each.
  rateFactor: 20,
  flags: section("Controllers", {
    "concurrent-gc-syncs": {
      type: "int",
      default: "20",
      min: 1,
      help: "number of concurrent workers of garbage collection",
    },
    "enable-garbage-collector": {
      type: "bool",
      default: "true",
      help: "deletes objects whose owners do not exist; must equal the flag of the API server",
    },
  }),
  async run(context, options, signal) {
    if (options["enable-garbage-collector"]) {
      const monitors = context.views.objects(context.release);
      await collectGarbage({ ...context, monitors, workers: options["concurrent-gc-syncs"] }, signal);
    } else
      context.client.log.info("a controller is disabled", {
        duty: "garbagecollector",
        option: "enable-garbage-collector",
      });
  },
});
