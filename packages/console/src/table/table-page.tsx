import { useEffect, useMemo } from "preact/hooks";
import { can, qualifiedName, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { CommittedField } from "../parts/committed-field";
import { FailureNote } from "../parts/failure-note";
import { NamespaceField } from "../parts/namespace-field";
import type { PageProps } from "../parts/page-view";
import { useTitle } from "../parts/title";
import { UnknownResource } from "../parts/unknown-resource";
import { createAddress, deletedAddress, objectAddress, readPlace } from "../routes/addresses";
import { goTo, setQuery } from "../routes/router";
import { Grid } from "./grid";
import { LiveTable } from "./live-table";
import type { Row } from "./row";
import type { SortKey } from "./row-order";
import { shownColumns } from "./shown-columns";
import "./table.css";

/** The objects of one resource in the table that the server makes, with live rows. */
export function TablePage({ route }: PageProps) {
  const place = readPlace(route.parts);
  const resource = findResource(place.group, place.resource, place.version);
  useTitle(resource?.kind ?? place.resource);
  if (resource === undefined) return <UnknownResource place={place} />;
  return (
    <ResourceTable key={`${place.group}/${place.version}/${place.resource}`} resource={resource} query={route.query} />
  );
}

interface Props {
  readonly resource: Resource;
  readonly query: Readonly<Record<string, string>>;
}

function ResourceTable({ resource, query }: Props) {
  const { ns = "", labels = "", q = "", sort: sortText, all } = query;
  const table = useMemo(
    () => new LiveTable({ resource, namespace: ns, labelSelector: labels }),
    [resource, ns, labels],
  );
  useEffect(() => {
    table.start();
    return () => table.stop();
  }, [table]);
  const sort = readSort(sortText);
  useMemo(() => table.arrange(sort, q), [table, sortText, q]);
  const columns = useMemo(
    () => shownColumns(table.columns.value, { resource, namespace: ns, isWhole: all === "true" }),
    [table.columns.value, resource, ns, all],
  );
  const addressOf = (row: Row) => objectAddress(resource, row);
  return (
    <div class="table-page">
      <div class="heading">
        <h1>{resource.kind}</h1>
        <span class="quiet">{qualifiedName(resource)}</span>
        <a href={deletedAddress(resource, ns)}>Deleted objects</a>
        {can(resource, "create") && (
          <a class="button" href={createAddress(resource, ns)}>
            Create
          </a>
        )}
      </div>
      <div class="filters">
        {resource.isNamespaced && <NamespaceField value={ns} choose={(namespace) => setQuery({ ns: namespace })} />}
        <CommittedField
          label="Label selector"
          value={labels}
          placeholder="app=web,tier in (a,b)"
          choose={(text) => setQuery({ labels: text })}
        />
        <label>
          Filter
          <input type="search" value={q} onInput={(event) => setQuery({ q: event.currentTarget.value })} />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={all === "true"}
            onChange={(event) => setQuery({ all: event.currentTarget.checked ? "true" : undefined })}
          />
          All columns
        </label>
      </div>
      <TableState table={table} kind={resource.kind} />
      {table.phase.value !== "failed" && (
        <Grid
          table={table}
          columns={columns}
          label={`Objects of the kind ${resource.kind}`}
          sort={sort}
          sortBy={(column) => setQuery({ sort: nextSort(sort, column) })}
          addressOf={addressOf}
          open={(row) => goTo(addressOf(row))}
        />
      )}
    </div>
  );
}

/** Tells how many rows there are, and whether they are current. */
function TableState({ table, kind }: { readonly table: LiveTable; readonly kind: string }) {
  table.revision.value; // the rows have changed
  const { rows, phase, failure } = table;
  if (failure.value !== undefined) return <FailureNote failure={failure.value} subject={`The list of ${kind}`} />;
  const { length, total } = rows;
  const number = (value: number) => value.toLocaleString("en");
  const count = length === total ? number(total) : `${number(length)} of ${number(total)}`;
  return (
    <p class="state quiet" role="status">
      {phase.value === "loading" ? `Loading … ${count}` : `${count} ${total === 1 ? "object" : "objects"}, live`}
    </p>
  );
}

function readSort(text: string | undefined): SortKey | undefined {
  const match = /^(-?)(n|\d+)$/.exec(text ?? "");
  if (match === null) return undefined;
  return { column: match[2] === "n" ? -1 : Number(match[2]), isDescending: match[1] === "-" };
}

/** A column is sorted ascending, then descending, then not at all. */
function nextSort(sort: SortKey | undefined, column: number): string | undefined {
  const name = column === -1 ? "n" : String(column);
  if (sort?.column !== column) return name;
  return sort.isDescending ? undefined : `-${name}`;
}
