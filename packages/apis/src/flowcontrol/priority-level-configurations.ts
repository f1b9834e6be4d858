import type { BuiltInResource } from "../model/built-in-resource";
import { validateFlowControlStatus } from "./flow-schema-validation";
import { priorityLevelColumns } from "./priority-level-columns";
import { validatePriorityLevel } from "./priority-level-validation";
import { sharesConversion } from "./shares-conversion";

export const priorityLevelConfigurations = {
  group: "flowcontrol",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
  readWhole: true,
  versions: [
    { version: "v1", introduced: "1.29" },
    { version: "v1beta3", introduced: "1.26", deprecated: "1.29", removed: "1.32", replacement: "flowcontrol/v1" },
    {
      version: "v1beta2",
      introduced: "1.23",
      deprecated: "1.26",
      removed: "1.29",
      replacement: "flowcontrol/v1beta3",
      conversion: sharesConversion,
    },
    {
      version: "v1beta1",
      introduced: "1.20",
      deprecated: "1.23",
      removed: "1.26",
      replacement: "flowcontrol/v1beta2",
      conversion: sharesConversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    validate: validatePriorityLevel,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateFlowControlStatus } },
  columns: priorityLevelColumns,
} as const satisfies BuiltInResource;
