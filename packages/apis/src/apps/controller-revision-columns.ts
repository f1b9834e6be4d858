// Columns of controller revisions. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

export const controllerRevisionColumns: readonly TableColumn[] = [
  nameColumn,
  column<appsV1.ControllerRevision>("Controller", "Whose revision it is.", controllerText),
  column<appsV1.ControllerRevision>("Revision", "Its number; the newest has the highest.", ({ revision }) => {
    return revision ?? 0;
  }),
  ageColumn,
];

/** Formats the controller, such as `statefulset.apps/web`. */
function controllerText({ metadata }: Seen<appsV1.ControllerRevision>): string {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return "<none>";
  const [group = "", version] = (owner.apiVersion ?? "").split("/");
  const kind = version === undefined ? (owner.kind ?? "") : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}
