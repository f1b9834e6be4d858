// Columns about containers of kinds with a pod template. Source: pkg/printers/internalversion/printers.go.

import { type CellObject, column } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

type Template = CellObject<coreV1.PodTemplateSpec> | null | undefined;

interface WithTemplate {
  readonly spec?: { readonly template?: coreV1.PodTemplateSpec };
}

/** Returns the column of container names. @param templateOf returns the template of an object */
export function containersColumn<Kind>(templateOf: (object: CellObject<Kind>) => Template): TableColumn {
  return column<Kind>("Containers", "The names of the containers in each pod.", (object) =>
    listed(templateOf(object), "name"),
  );
}

/** Returns the column of images. @param templateOf returns the template of an object */
export function imagesColumn<Kind>(templateOf: (object: CellObject<Kind>) => Template): TableColumn {
  return column<Kind>("Images", "What the containers of each pod run.", (object) =>
    listed(templateOf(object), "image"),
  );
}

export const templateOfSpec = ({ spec }: CellObject<WithTemplate>): Template => spec?.template;

function listed(template: Template, field: "name" | "image"): string {
  return (template?.spec?.containers ?? []).map((container) => container[field] ?? "").join(",");
}
