import { defineDuty } from "../../manager/duty";
import { keepBudgets } from "./keep-budgets";

export const disruptionDuty = defineDuty({
  name: "disruption",
  alias: "disruption-controller",
  does: "says of disruption budgets how many pods may go",
  needs: { group: "policy", resource: "poddisruptionbudgets" },
  // Whoever empties a node waits for it, pod by pod.
  rateFactor: 10,
  flags: {},
  run: (context, _options, signal) => keepBudgets(context, signal),
});
