import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import type { Loaded } from "../parts/use-loaded";

/** A section of the page, named by its heading. */
export function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  const heading = useId();
  return (
    <section class="cluster-section" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  );
}

interface PartProps<T> {
  /** The request, as a noun: "The metrics". */
  readonly subject: string;
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the loaded value. A failure of a later request is told above what is known. */
export function Part<T>({ subject, loaded, children }: PartProps<T>) {
  const { value, failure, again } = loaded;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} subject={subject} again={again} />}
      {value !== undefined && children(value)}
      {value === undefined && failure === undefined && (
        <Loading subject={subject.charAt(0).toLowerCase() + subject.slice(1)} />
      )}
    </>
  );
}

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

/** A state with the color of good or bad; the words alone tell it, too. */
export const StateText = ({ isGood, children }: { readonly isGood: boolean; readonly children: string }) => (
  <span class={isGood ? "good" : "bad"}>{children}</span>
);
