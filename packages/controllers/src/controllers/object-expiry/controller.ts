import { section } from "@orch/machinery";
import { defineController } from "../../framework/controller";
import { expireObjects } from "./expire-objects";

export const objectExpiryController = defineController({
  name: "object-expiry",
  alias: "object-expiry-controller",
  does: "deletes objects whose annotations say that they have expired",
  // Thousands of objects may expire together, with two requests each.
  rateFactor: 20,
  flags: section("Controllers", {
    "concurrent-object-expiry-syncs": {
      type: "int",
      default: "10",
      min: 1,
      help: "number of concurrent workers for expired objects",
    },
  }),
  run(context, options, signal) {
    const monitors = context.views.objects(context.release);
    return expireObjects({ ...context, monitors, workers: options["concurrent-object-expiry-syncs"] }, signal);
  },
});
