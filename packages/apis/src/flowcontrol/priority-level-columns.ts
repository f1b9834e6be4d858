// Columns of priority level configurations. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { flowcontrolV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

type Level = flowcontrolV1.PriorityLevelConfiguration;

export const priorityLevelColumns: readonly TableColumn[] = [
  nameColumn,
  column<Level>("Type", "Whether requests of the level are limited.", ({ spec }) => spec?.type ?? ""),
  column<Level>("AssuredConcurrencyShares", "The level's part of all requests that run at once.", ({ spec }) => {
    return spec?.limited?.nominalConcurrencyShares ?? "<none>";
  }),
  column<Level>("Queues", "How many queues requests wait in.", queuing("queues")),
  column<Level>("HandSize", "How many of these the requests of one flow may wait in.", queuing("handSize")),
  column<Level>("QueueLengthLimit", "How many requests may wait in a queue.", queuing("queueLengthLimit")),
  ageColumn,
];

function queuing(field: "queues" | "handSize" | "queueLengthLimit") {
  return ({ spec }: Seen<Level>) => spec?.limited?.limitResponse?.queuing?.[field] ?? "<none>";
}
