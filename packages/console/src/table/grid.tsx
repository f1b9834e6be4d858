// A grid of any number of rows: only those in view are in the document. It has the roles of a grid (WAI-ARIA 1.2), because
// elements of a table cannot hold a part of its rows at their places. The grid has the focus, and names the active row.
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { timeNow } from "../values/clock";
import type { LiveTable } from "./live-table";
import type { Row } from "./row";
import type { SortKey } from "./row-order";
import { type ShownColumn, shapeOf } from "./shown-columns";
import { scrollTo, windowOf } from "./virtual-window";

const ROW_HEIGHT = 32;
/** Ages are shown again after this time. */
const AGE_STEP_MS = 1000;

interface Props {
  readonly table: LiveTable;
  readonly columns: readonly ShownColumn[];
  readonly label: string;
  readonly sort: SortKey | undefined;
  readonly sortBy: (column: number) => void;
  readonly addressOf: (row: Row) => string;
  readonly open: (row: Row) => void;
}

export function Grid({ table, columns, label, sort, sortBy, addressOf, open }: Props) {
  const id = useId();
  const view = useRef<HTMLDivElement>(null);
  const scrollTop = useSignal(0);
  const height = useSignal(600);
  /** Key of the active row, which stays active while others come and go. */
  const active = useSignal<string | undefined>(undefined);
  const now = useNow();
  table.revision.value; // the rows have changed
  const { rows } = table;

  useEffect(() => {
    const element = view.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const { start, end } = windowOf(scrollTop.value, height.value - ROW_HEIGHT, ROW_HEIGHT, rows.length);
  const shown = rows.slice(start, end);
  const activeIndex = active.value === undefined ? -1 : rows.indexOf(active.value);
  const size = end - start;
  const { template, width } = shapeOf(columns, rows, now);

  const move = (index: number) => {
    const bounded = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows.at(bounded);
    if (row === undefined || view.current === null) return;
    active.value = row.key;
    view.current.scrollTop = scrollTo(bounded, view.current.scrollTop, height.value - ROW_HEIGHT, ROW_HEIGHT);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.floor((height.value - ROW_HEIGHT) / ROW_HEIGHT) - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      j: activeIndex + 1,
      k: activeIndex - 1,
      PageDown: activeIndex + page,
      PageUp: activeIndex - page,
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows.at(activeIndex);
    if (event.key === "Enter" && activeIndex >= 0 && row !== undefined) open(row);
    else if (steps[event.key] !== undefined) move(steps[event.key] ?? 0);
    else return;
    event.preventDefault();
  };

  return (
    <div
      class="grid"
      role="grid"
      ref={view}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={activeIndex >= start && activeIndex < end ? `${id}-${activeIndex}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) => {
        scrollTop.value = event.currentTarget.scrollTop;
      }}
    >
      <div class="row head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, width }}>
        {columns.map((column) => (
          <Head key={column.index} column={column} sort={sort} sortBy={sortBy} />
        ))}
      </div>
      <div class="body" role="rowgroup" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {shown.map((row, offset) => {
          const index = start + offset;
          return (
            <div
              key={index % size}
              id={`${id}-${index}`}
              class={row.isDeleting ? "row deleting" : "row"}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={index === activeIndex}
              style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, gridTemplateColumns: template, width }}
              onClick={() => {
                active.value = row.key;
              }}
            >
              {columns.map((column, place) => (
                <div key={column.index} role="gridcell" class="cell" title={column.text(row, now)}>
                  {place === 0 ? (
                    <a href={addressOf(row)} tabIndex={-1}>
                      {column.text(row, now)}
                    </a>
                  ) : (
                    column.text(row, now)
                  )}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface HeadProps {
  readonly column: ShownColumn;
  readonly sort: SortKey | undefined;
  readonly sortBy: (column: number) => void;
}

function Head({ column, sort, sortBy }: HeadProps) {
  const direction = sort?.column !== column.index ? "none" : sort.isDescending ? "descending" : "ascending";
  return (
    <div role="columnheader" class="cell" aria-sort={direction} title={column.description}>
      <button type="button" onClick={() => sortBy(column.index)}>
        {column.title}
        <span aria-hidden="true">{{ none: "", ascending: " ▲", descending: " ▼" }[direction]}</span>
      </button>
    </div>
  );
}

/** Returns the time, which goes on while the page is in view. */
function useNow(): number {
  const [now, setNow] = useState(timeNow);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(timeNow());
    }, AGE_STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
