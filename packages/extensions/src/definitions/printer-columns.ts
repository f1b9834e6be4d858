// Table columns of custom resources. Source: Kubernetes documentation, "Extend the Kubernetes API with
// CustomResourceDefinitions", "Additional printer columns".
import { ageText, DEFAULT_COLUMNS, metaOf, type TableColumn } from "@orch/machinery";
import { type apiextensionsV1, type JsonObject, type JsonValue, type VocabularyName, writeJson } from "@orch/schema";
import { parseJsonPath } from "./json-path";

type Declared = apiextensionsV1.CustomResourceColumnDefinition;

const NAME: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique per kind and namespace.",
  priority: 0,
  cell: (object) => metaOf(object).name ?? "",
};

const AGE: Declared = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since the creation of the object.",
};

/**
 * Returns the columns of a version: the name and the declared ones. A version without declared columns has the default
 * table of the vocabulary: name and creation time, or name and age for clients that expect the table of Kubernetes.
 */
export function printerColumns(
  declared: readonly Declared[] | undefined,
  vocabulary: VocabularyName,
): readonly TableColumn[] {
  if (declared !== undefined && declared.length > 0) return [NAME, ...declared.map(printerColumn)];
  return vocabulary === "kubernetes" ? [NAME, printerColumn(AGE)] : DEFAULT_COLUMNS;
}

function printerColumn({ name, type, format = "", description = "", priority = 0, jsonPath }: Declared): TableColumn {
  const path = parseJsonPath(jsonPath);
  const first = (object: JsonObject): JsonValue | undefined => path?.find(object)[0];
  const column = {
    name,
    type: type as TableColumn["type"],
    format,
    description:
      description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
    priority,
  };
  if (type === "date") {
    const since = (object: JsonObject): string | undefined => {
      const value = first(object);
      return typeof value === "string" ? value : undefined;
    };
    const isAge = path !== undefined && jsonPath === AGE.jsonPath;
    return {
      ...column,
      cell(object, { nowMs }) {
        const time = since(object);
        return time === undefined && !isAge ? null : ageText(time, nowMs);
      },
      ...(isAge && { since }),
    };
  }
  return { ...column, cell: (object) => cellOf(type, first(object)) };
}

/** Returns the cell, or null for a value of another type than the column's. */
function cellOf(type: string, value: JsonValue | undefined): JsonValue {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : typeof value === "object" ? writeJson(value) : String(value);
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : typeof value === "bigint" ? value : null;
    default:
      return typeof value === "number" || typeof value === "bigint" ? value : null;
  }
}
