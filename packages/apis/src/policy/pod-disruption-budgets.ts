import { ageColumn, type BuiltInResource, column, integerColumn, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { policyV1 } from "@orch/schema";
import { validateDisruptionBudget, validateDisruptionBudgetStatus } from "./disruption-budget-validation";
import { emptySelectorConversion } from "./empty-selector-conversion";

type Budget = policyV1.PodDisruptionBudget;

/** Columns of pod disruption budgets. Source: pkg/printers/internalversion/printers.go. */
const disruptionBudgetColumns: readonly TableColumn[] = [
  nameColumn,
  column<Budget>("Min Available", "How many pods must stay.", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  column<Budget>("Max Unavailable", "How many pods may be missing.", ({ spec }) => {
    return String(spec?.maxUnavailable ?? "N/A");
  }),
  integerColumn<Budget>("Allowed Disruptions", "How many pods may go now.", ({ status }) => {
    return status?.disruptionsAllowed ?? 0;
  }),
  ageColumn,
];

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
    gated: { PDBUnhealthyPodEvictionPolicy: ["spec.unhealthyPodEvictionPolicy"] },
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    validate: validateDisruptionBudget,
    strictFormats: { "spec.selector": "selector" },
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateDisruptionBudgetStatus } },
  columns: disruptionBudgetColumns,
} as const satisfies BuiltInResource;
