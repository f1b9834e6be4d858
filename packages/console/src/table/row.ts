// Rows of a table that the server makes. Source: Kubernetes API, meta/v1 Table.
import type { ObjectMeta } from "../values/api-object";

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is shown always; higher ones when the user asks for all columns. */
  readonly priority?: number;
}

export type Cell = string | number | boolean | null | undefined;

export interface TableAnswer {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object?: { readonly metadata?: ObjectMeta };
  }[];
}

/** The part of a row that the console keeps. Metadata of 50,000 objects would take ten times the memory. */
export interface Row {
  /** Uid, or namespace and name where an object has none. */
  readonly key: string;
  readonly name: string;
  readonly namespace: string;
  readonly created: string;
  /** The same in milliseconds, by which rows are sorted. */
  readonly createdAt: number;
  readonly isDeleting: boolean;
  readonly cells: readonly Cell[];
}

export function rowsOf({ rows = [] }: TableAnswer): Row[] {
  return rows.map(({ cells, object }) => {
    const { name = "", namespace = "", uid, creationTimestamp = "", deletionTimestamp } = object?.metadata ?? {};
    return {
      key: uid ?? `${namespace}/${name}`,
      name,
      namespace,
      created: creationTimestamp,
      createdAt: Date.parse(creationTimestamp) || 0,
      isDeleting: deletionTimestamp !== undefined,
      cells: cells.map(cellOf),
    };
  });
}

/** Tables of custom resources may have objects and lists in their cells. */
function cellOf(value: unknown): Cell {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return value as Cell;
}

/** Whether a column has the age of the objects, which goes on while the table is shown. */
export const isAge = ({ name, type }: Column): boolean => name === "Age" && (type === "string" || type === "date");
