// Table columns. Source: staging/src/k8s.io/apiserver/pkg/registry/rest/table.go.

import type { JsonObject } from "@orch/schema";
import { metaOf } from "../objects/object-meta";
import type { TableColumn } from "../resources/resource-definition";

/** Columns of kinds without columns of their own. */
export const DEFAULT_COLUMNS: readonly TableColumn[] = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "Name of the object, unique per kind and namespace.",
    priority: 0,
    cell: (object) => metaOf(object).name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    format: "",
    description: "Time at which the server created the object.",
    priority: 0,
    cell: (object) => metaOf(object).creationTimestamp ?? null,
  },
];

/** Returns the column definitions of a table. All columns are sent; the client hides those that it does not show. */
export const columnDefinitions = (columns: readonly TableColumn[]): JsonObject[] =>
  columns.map(({ name, type, format, description, priority }) => ({ name, type, format, description, priority }));
