import { ageColumn, type BuiltInResource, type CellObject, column, type Features, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { flowcontrolV1, Vocabulary } from "@orch/schema";
import { validateFlowControlStatus } from "./flow-schema-validation";
import { defaultShares } from "./priority-level-defaults";
import { validatePriorityLevel } from "./priority-level-validation";
import { sharesConversion, zeroSharesConversion } from "./shares-conversion";

type Level = flowcontrolV1.PriorityLevelConfiguration;

/** First release that names the shares as v1beta3 and v1 do. */
const NOMINAL_SINCE = "1.26";

/** Columns of priority level configurations. Source: pkg/printers/internalversion/printers.go. */
const priorityLevelColumns = (_vocabulary: Vocabulary, features: Features): readonly TableColumn[] => [
  nameColumn,
  column<Level>("Type", "Whether requests of the level are limited.", ({ spec }) => spec?.type ?? ""),
  column<Level>(sharesName(features), "Shares of the level in the total concurrency limit.", ({ spec }) => {
    return spec?.limited?.nominalConcurrencyShares ?? "<none>";
  }),
  column<Level>("Queues", "How many queues requests wait in.", queuing("queues")),
  column<Level>("HandSize", "How many of these the requests of one flow may wait in.", queuing("handSize")),
  column<Level>("QueueLengthLimit", "How many requests may wait in a queue.", queuing("queueLengthLimit")),
  ageColumn,
];

const sharesName = (features: Features): string =>
  features.since(NOMINAL_SINCE) ? "NominalConcurrencyShares" : "AssuredConcurrencyShares";

function queuing(field: "queues" | "handSize" | "queueLengthLimit") {
  return ({ spec }: CellObject<Level>) => spec?.limited?.limitResponse?.queuing?.[field] ?? "<none>";
}

export const priorityLevelConfigurations = {
  group: "flowcontrol",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
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
      conversion: zeroSharesConversion,
      defaults: { then: defaultShares },
    },
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
    declared: true,
    validate: validatePriorityLevel,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateFlowControlStatus } },
  columns: priorityLevelColumns,
} as const satisfies BuiltInResource;
