// Columns of flow schemas. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { flowcontrolV1 } from "@orch/schema";
import { ageColumn, column, nameColumn } from "../model/columns/column";

type FlowSchema = flowcontrolV1.FlowSchema;

export const flowSchemaColumns: readonly TableColumn[] = [
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
