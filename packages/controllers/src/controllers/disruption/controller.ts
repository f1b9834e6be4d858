import { defineController } from "../../framework/controller";
import { reconcileBudgets } from "./reconcile-budgets";

export const disruptionController = defineController({
  name: "disruption",
  alias: "disruption-controller",
  does: "maintains the status of pod disruption budgets",
  needs: { group: "policy", resource: "poddisruptionbudgets" },
  // Draining a node waits for the budget after every pod.
  rateFactor: 10,
  flags: {},
  run: (context, _options, signal) => reconcileBudgets(context, signal),
});
