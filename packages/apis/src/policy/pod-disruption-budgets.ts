import type { BuiltInResource } from "../model/built-in-resource";
import { disruptionBudgetColumns } from "./disruption-budget-columns";
import { validateDisruptionBudget, validateDisruptionBudgetStatus } from "./disruption-budget-validation";
import { emptySelectorConversion } from "./empty-selector-conversion";

export const podDisruptionBudgets = {
  group: "policy",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  shortNames: ["pdb"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.21" },
    {
      version: "v1beta1",
      introduced: "1.5",
      deprecated: "1.21",
      removed: "1.25",
      replacement: "policy/v1",
      conversion: emptySelectorConversion,
    },
  ],
  readWhole: true,
  rules: {
    nameFormat: "pathSegment",
    anyFinalizer: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    validate: validateDisruptionBudget,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateDisruptionBudgetStatus } },
  columns: disruptionBudgetColumns,
} as const satisfies BuiltInResource;
