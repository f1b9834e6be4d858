// Tables of `orch get`, page by page.
import type { DiscoveredResource } from "@orch/client";
import { isObject, type JsonObject } from "@orch/schema";
import { ColumnLayout } from "../../../output/columns";
import { itemsOf } from "../../../output/object-printer";
import {
  isTable,
  PLAIN_COLUMNS,
  plainRow,
  type RowOptions,
  type ServerTable,
  type TableColumn,
  type TableRow,
  tableCells,
  tableHeaders,
} from "../../../output/server-table";

export interface TableOutputOptions {
  readonly wide?: boolean;
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly labelColumns?: readonly string[];
  readonly allNamespaces?: boolean;
  /** Kinds before the names. */
  readonly withKind: boolean;
  readonly now: () => number;
}

/** Writes the rows of one kind after the other. */
export class TableOutput {
  private layout = new ColumnLayout();
  private columns: readonly TableColumn[] = [];
  private type: DiscoveredResource | undefined;
  private printedHeaders = false;
  private wrote = false;
  private rowOptions: RowOptions = {};

  constructor(private readonly options: TableOutputOptions) {}

  get isEmpty(): boolean {
    return !this.wrote;
  }

  /** Returns the text of a page, or of an object that a watch reports. @param event type of the event, in its column */
  page(type: DiscoveredResource, page: JsonObject, event?: string): string {
    this.begin(type);
    const { columns, rows } = tableOf(page, this.options.now(), this.columns);
    if (!sameColumns(columns, this.columns)) this.printedHeaders = false;
    this.columns = columns;
    if (rows.length === 0) return "";
    const withEvent = (cell: string, cells: string[]) => (event === undefined ? cells : [cell, ...cells]);
    const lines = rows.map((row) => withEvent(eventCell(event), tableCells(columns, row, this.rowOptions)));
    if (this.options.headers && !this.printedHeaders)
      lines.unshift(withEvent("EVENT", tableHeaders(columns, this.rowOptions)));
    const gap = this.wrote && !this.printedHeaders && this.options.headers ? "\n" : "";
    this.printedHeaders = true;
    this.wrote = true;
    return gap + this.layout.text(lines);
  }

  private begin(type: DiscoveredResource): void {
    const { type: before, options } = this;
    if (before !== undefined && before.group === type.group && before.kind === type.kind) return;
    const { wide, showLabels, labelColumns, allNamespaces, withKind } = options;
    this.type = type;
    this.layout = new ColumnLayout();
    this.columns = [];
    this.printedHeaders = false;
    this.rowOptions = {
      wide,
      showLabels,
      labelColumns,
      withNamespace: allNamespaces === true && type.namespaced,
      namePrefix: withKind ? kindPrefix(type) : "",
    };
  }
}

/** Returns `pod/`, `deployment.apps/`. */
export const kindPrefix = ({ kind, group }: DiscoveredResource): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/`;

/** Returns the table of a page; objects of which the server made no table have a name and an age. */
export function tableOf(
  page: JsonObject,
  nowMs: number,
  before: readonly TableColumn[] = [],
): { readonly columns: readonly TableColumn[]; readonly rows: readonly TableRow[] } {
  if (!isTable(page)) return { columns: PLAIN_COLUMNS, rows: itemsOf(page).map((item) => plainRow(item, nowMs)) };
  const { columnDefinitions, rows } = page as ServerTable;
  const hasColumns = columnDefinitions !== undefined && columnDefinitions !== null && columnDefinitions.length > 0;
  return { columns: hasColumns ? columnDefinitions : before, rows: (rows ?? []).filter(isObject) };
}

const sameColumns = (one: readonly TableColumn[], other: readonly TableColumn[]): boolean =>
  one === other || (one.length === other.length && one.every(({ name }, at) => name === other[at]?.name));

const EVENT_WIDTH = 8;

const eventCell = (event: string | undefined): string => (event ?? "").padEnd(EVENT_WIDTH);
