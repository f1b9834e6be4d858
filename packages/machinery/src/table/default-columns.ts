// Default table columns of kinds without columns of their own. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/table.go.
import { metaOf } from "../objects/object-meta";
import type { TableColumn } from "../resources/resource-definition";

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
