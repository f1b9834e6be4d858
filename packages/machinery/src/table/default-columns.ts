// Default table columns of kinds without columns of their own. Source:
// staging/src/k8s.io/apiserver/pkg/registry/rest/table.go.
import { metaOf } from "../objects/object-meta";
import type { TableColumn } from "../resources/resource-definition";

export const DEFAULT_COLUMNS: readonly TableColumn[] = [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "The object's name, unique among those of its kind in a namespace.",
    priority: 0,
    cell: (object) => metaOf(object).name ?? "",
  },
  {
    name: "Created At",
    type: "date",
    format: "",
    description: "When the server first stored the object.",
    priority: 0,
    cell: (object) => metaOf(object).creationTimestamp ?? null,
  },
];
