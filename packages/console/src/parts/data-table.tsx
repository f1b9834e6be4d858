import type { ComponentChildren } from "preact";

interface DataTableProps {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Names of the rows, so that each keeps its state where others come before it. Default: their places. */
  readonly keys?: readonly string[];
  /** Shown instead of a table without rows. */
  readonly none: string;
}

/** Rows that are shown; the page tells how many more there are. */
const ROWS_MAX = 200;

export function DataTable({ label, head, rows, keys, none }: DataTableProps) {
  if (rows.length === 0) return <p class="quiet">{none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached with the keyboard
    <section class="scrolled" aria-label={`${label}: table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map((cells, row) => (
            <tr key={keys?.[row] ?? row}>
              {cells.map((cell, at) => (
                <td key={head[at]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX && <p class="quiet">and {rows.length - ROWS_MAX} more</p>}
    </section>
  );
}
