// The columns of the grid and their widths.
import type { Resource } from "../discovery/resource";
import { ageOf } from "../values/age";
import { type Column, isAge, type Row } from "./row";
import type { SortedRows } from "./sorted-rows";

export interface ShownColumn {
  readonly title: string;
  readonly description: string;
  /** Index in the cells of a row; -1 for the namespace. */
  readonly index: number;
  readonly text: (row: Row, now: number) => string;
}

/** @param isWhole also shows the columns of lower priority */
export function shownColumns(
  columns: readonly Column[],
  {
    resource,
    namespace,
    isWhole,
  }: { readonly resource: Resource; readonly namespace: string; readonly isWhole: boolean },
): readonly ShownColumn[] {
  const shown = columns.flatMap((column, index): ShownColumn[] => {
    if (!isWhole && (column.priority ?? 0) > 0) return [];
    const text = isAge(column)
      ? (row: Row, now: number) => ageOf(row.created, now) || textOf(row, index)
      : (row: Row) => textOf(row, index);
    return [{ title: column.name, description: column.description ?? "", index, text }];
  });
  if (!resource.isNamespaced || namespace !== "") return shown;
  const [first, ...others] = shown;
  const place: ShownColumn = { title: "Namespace", description: "", index: -1, text: (row) => row.namespace };
  return first === undefined ? [place] : [first, place, ...others];
}

const textOf = ({ cells }: Row, index: number): string => {
  const cell = cells[index];
  return cell === null || cell === undefined ? "" : String(cell);
};

const SAMPLE = 200;
const NARROWEST = 5;
const WIDEST = 48;
/** Mean width of a character, and the space at both sides of a text, in pixels. */
const CHARACTER = 8;
const SPACE = 24;

export interface GridShape {
  /** Value of `grid-template-columns`. */
  readonly template: string;
  /** Width of a row in which all texts have their place. */
  readonly width: string;
}

/** Returns the widths of the columns: as wide as the texts of the first rows need, within bounds. */
export function shapeOf(columns: readonly ShownColumn[], rows: SortedRows, now: number): GridShape {
  const sample = rows.slice(0, SAMPLE);
  const widths = columns.map(({ title, text }) => {
    const longest = sample.reduce((most, row) => Math.max(most, text(row, now).length), title.length + 2);
    return Math.min(WIDEST, Math.max(NARROWEST, longest)) * CHARACTER + SPACE;
  });
  const sum = widths.reduce((total, width) => total + width, 0);
  return { template: widths.map((width) => `minmax(${width}px, ${width}fr)`).join(" "), width: `max(100%, ${sum}px)` };
}
