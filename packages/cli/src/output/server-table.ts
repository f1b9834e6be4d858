// Tables that a server makes of its objects, as rows of text. Source: Kubernetes documentation, "Kubernetes API Concepts",
// "Receiving resources as Tables".
import { ageText } from "@orch/machinery";
import { isObject, type JsonObject, VOCABULARY_NAMES, vocabularyOf } from "@orch/schema";
import { visible } from "./columns";
import { goText } from "./go-text";

export interface TableColumn {
  readonly name: string;
  /** `name`: the column of the object's name. */
  readonly format?: string;
  readonly priority?: number;
}

export interface TableRow {
  /** null in answers of servers that send an empty list so. */
  readonly cells?: readonly unknown[] | null;
  readonly object?: JsonObject | null;
}

export interface ServerTable {
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly TableRow[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** Media types of tables, in either vocabulary, and of plain objects. */
export const TABLE_ACCEPT = [
  ...VOCABULARY_NAMES.flatMap((name) =>
    ["v1", "v1beta1"].map((version) => `application/json;as=Table;v=${version};g=${vocabularyOf(name).groups.meta}`),
  ),
  "application/json",
].join(",");

export const isTable = (value: unknown): value is ServerTable => isObject(value) && value["kind"] === "Table";

export interface RowOptions {
  /** Also columns of low priority. */
  readonly wide?: boolean | undefined;
  readonly withNamespace?: boolean | undefined;
  readonly showLabels?: boolean | undefined;
  /** Labels that have a column of their own. */
  readonly labelColumns?: readonly string[] | undefined;
  /** Text before the names, such as `pod/`. */
  readonly namePrefix?: string | undefined;
}

/** Returns the headers. */
export function tableHeaders(columns: readonly TableColumn[], options: RowOptions): string[] {
  const { withNamespace, showLabels, labelColumns = [] } = options;
  return [
    ...(withNamespace ? ["NAMESPACE"] : []),
    ...columns.filter((column) => isShown(column, options)).map(({ name }) => visible(name.toUpperCase())),
    ...labelColumns.map((label) => visible(label.slice(label.lastIndexOf("/") + 1).toUpperCase())),
    ...(showLabels ? ["LABELS"] : []),
  ];
}

/** Returns the cells of a row. */
export function tableCells(
  columns: readonly TableColumn[],
  { cells: given, object }: TableRow,
  options: RowOptions,
): string[] {
  const { withNamespace, showLabels, labelColumns = [], namePrefix = "" } = options;
  const cells = given ?? [];
  const metadata = metadataOf(object);
  const labels = isObject(metadata["labels"]) ? metadata["labels"] : {};
  const shown = columns.flatMap((column, at) => {
    if (!isShown(column, options) || at >= cells.length) return [];
    const text = cells[at] === null || cells[at] === undefined ? "" : goText(cells[at]);
    return [visible(column.format === "name" ? namePrefix + text : text)];
  });
  return [
    ...(withNamespace ? [visible(String(metadata["namespace"] ?? ""))] : []),
    ...shown,
    ...labelColumns.map((label) => visible(String(labels[label] ?? ""))),
    ...(showLabels ? [visible(labelsText(labels))] : []),
  ];
}

/** Columns of objects of which the server makes no table. */
export const PLAIN_COLUMNS: readonly TableColumn[] = [{ name: "Name", format: "name" }, { name: "Age" }];

export function plainRow(object: JsonObject, nowMs: number): TableRow {
  const metadata = metadataOf(object);
  const created = metadata["creationTimestamp"] as string | undefined;
  return { cells: [String(metadata["name"] ?? ""), ageText(created, nowMs)], object };
}

const labelsText = (labels: JsonObject): string =>
  Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(",") || "<none>";

export const metadataOf = (object: JsonObject | null | undefined): JsonObject =>
  isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};

const isShown = ({ priority = 0 }: TableColumn, { wide }: RowOptions): boolean => wide === true || priority === 0;
