import { ageColumn, type BuiltInResource, column, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { flowcontrolV1 } from "@orch/schema";
import { validateFlowControlStatus, validateFlowSchema } from "./flow-schema-validation";

type FlowSchema = flowcontrolV1.FlowSchema;

/** Columns of flow schemas. Source: pkg/printers/internalversion/printers.go. */
const flowSchemaColumns: readonly TableColumn[] = [
  nameColumn,
  column<FlowSchema>("PriorityLevel", "The level that its requests go to.", ({ spec }) => {
    return spec?.priorityLevelConfiguration?.name ?? "";
  }),
  column<FlowSchema>(
    "MatchingPrecedence",
    "Its place among the schemas that a request may match; low goes first.",
    ({ spec }) => spec?.matchingPrecedence ?? 0,
  ),
  column<FlowSchema>("DistinguisherMethod", "What tells its flows from one another.", ({ spec }) => {
    return spec?.distinguisherMethod?.type ?? "<none>";
  }),
  ageColumn,
  column<FlowSchema>("MissingPL", "Whether the level that its requests go to does not exist.", ({ status }) => {
    return status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?";
  }),
];

export const flowSchemas = {
  group: "flowcontrol",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
  readWhole: true,
  versions: [
    { version: "v1", introduced: "1.29" },
    {
      version: "v1beta3",
      introduced: "1.26",
      onByDefault: true,
      deprecated: "1.29",
      removed: "1.32",
      replacement: "flowcontrol/v1",
    },
    { version: "v1beta2", introduced: "1.23", deprecated: "1.26", removed: "1.29", replacement: "flowcontrol/v1beta3" },
    { version: "v1beta1", introduced: "1.20", deprecated: "1.23", removed: "1.26", replacement: "flowcontrol/v1beta2" },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    validate: validateFlowSchema,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateFlowControlStatus } },
  defaults: { fields: { "spec.matchingPrecedence": 1000 } },
  columns: flowSchemaColumns,
} as const satisfies BuiltInResource;
