import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { collectGarbage } from "./garbage-collector";

export const garbageController = defineController({
  name: "garbagecollector",
  alias: "garbage-collector-controller",
  does: "deletes objects whose owners are gone",
  // Garbage collection deletes thousands of objects, with one or two requests each.
  rateFactor: 20,
  flags: section("Duties", {
    "concurrent-gc-syncs": {
      type: "int",
      default: "20",
      min: 1,
      help: "objects looked at at once by garbage collection",
    },
    "enable-garbage-collector": {
      type: "bool",
      default: "true",
      help: "delete objects whose owners are gone; as the API server's option of the same name",
    },
  }),
  async run(context, options, signal) {
    if (options["enable-garbage-collector"]) {
      await collectGarbage({ ...context, workers: options["concurrent-gc-syncs"] }, signal);
    } else
      context.client.log.info("a duty stays off", {
        duty: "garbagecollector",
        option: "enable-garbage-collector",
      });
  },
});
