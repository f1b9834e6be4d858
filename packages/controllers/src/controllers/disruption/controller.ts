import { defineController } from "../../framework/controller";
import { keepBudgets } from "./keep-budgets";

export const disruptionController = defineController({
  name: "disruption",
  alias: "disruption-controller",
  does: "maintains the status of pod disruption budgets",
  needs: { group: "policy", resource: "poddisruptionbudgets" },
  // Draining a node waits for the budget after every pod.
  rateFactor: 10,
  flags: {},
  run: (context, _options, signal) => keepBudgets(context, signal),
});
