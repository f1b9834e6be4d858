// The order of rows and the text that filters them.
import { type Cell, type Column, isAge, type Row } from "./row";

export interface SortKey {
  /** Index of the column; -1 for the namespace. */
  readonly column: number;
  readonly isDescending: boolean;
}

export type Compare = (one: Row, other: Row) => number;

/** Returns a total order: rows that are equal in the column are in the order of namespace, name and key. */
export function orderBy(key: SortKey | undefined, columns: readonly Column[]): Compare {
  const value = key === undefined ? undefined : sortedValue(key.column, columns);
  if (key === undefined || value === undefined) return byName;
  const sign = key.isDescending ? -1 : 1;
  return (one, other) => sign * compareValues(value(one), value(other)) || byName(one, other);
}

function sortedValue(column: number, columns: readonly Column[]): ((row: Row) => Cell) | undefined {
  if (column === -1) return (row) => row.namespace;
  const definition = columns[column];
  if (definition === undefined) return undefined;
  // A young object has a small age and a late time of creation.
  if (isAge(definition)) return (row) => -row.createdAt;
  return (row) => row.cells[column];
}

/** Numbers come before texts. Texts that are numbers are compared as such. */
function compareValues(one: Cell, other: Cell): number {
  const a = numberOf(one);
  const b = numberOf(other);
  if (!Number.isNaN(a) || !Number.isNaN(b)) {
    if (Number.isNaN(a)) return 1;
    return Number.isNaN(b) ? -1 : a - b;
  }
  return compareTexts(String(one ?? ""), String(other ?? ""));
}

const numberOf = (cell: Cell): number => {
  if (typeof cell === "number") return cell;
  return typeof cell === "string" && cell !== "" ? Number(cell) : Number.NaN;
};

const byName: Compare = (one, other) =>
  compareTexts(one.namespace, other.namespace) ||
  compareTexts(one.name, other.name) ||
  compareTexts(one.key, other.key);

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Returns a test of rows: each word of the filter is in the name, the namespace or a cell. */
export function textFilter(filter: string): (row: Row) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return () => true;
  return (row) => {
    const text = `${row.namespace} ${row.name} ${row.cells.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
