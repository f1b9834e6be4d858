// Selects the pods of a disruption budget. Source: Kubernetes documentation, "Specifying a Disruption Budget for your
// Application".
import { labelSelectorOfObject, labelsOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import type { Budget } from "./budget-status";

/** API version in which an empty selector matches no pod; in other versions it matches every pod. */
const EMPTY_CHOOSES_NOTHING = "v1beta1";

export type Chooses = (pod: coreV1.Pod) => boolean;

/** Compiled selectors, cached as long as the budget object lives. */
export class BudgetSelectors {
  private readonly made = new WeakMap<Budget, Chooses>();

  /** @param version API version in which budgets are read */
  constructor(private readonly version: string) {}

  of(budget: Budget): Chooses {
    let chooses = this.made.get(budget);
    if (chooses === undefined) {
      chooses = choosing(budget, this.version);
      this.made.set(budget, chooses);
    }
    return chooses;
  }
}

function choosing({ spec }: Budget, version: string): Chooses {
  if (spec?.selector === undefined) return () => false;
  const { requirements, matches } = labelSelectorOfObject(spec.selector as JsonObject);
  if (requirements.length === 0 && version === EMPTY_CHOOSES_NOTHING) return () => false;
  return (pod) => matches(labelsOf(pod as JsonObject));
}
