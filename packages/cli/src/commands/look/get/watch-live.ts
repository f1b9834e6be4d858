// `orch get -w` on a terminal: one table for each kind, kept up to date in place. New, changed and deleted rows are
// marked for a while.
import { ageText } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import {
  metadataOf,
  type RowOptions,
  type TableColumn,
  type TableRow,
  tableCells,
  tableHeaders,
} from "../../../output/server-table";
import type { Session } from "../../../session/session";
import { type LiveRow, type LiveSection, LiveTable, type LiveView, type RowMark } from "../../../terminal/live-table";
import type { Change, Follower } from "./follow";
import type { GetOptions } from "./get-options";
import { kindPrefix, tableOf } from "./table-output";

/** Time for which a row is marked, in milliseconds. */
const MARKED_MS = 3_000;
const MARKS: Readonly<Record<Change["type"], RowMark>> = { ADDED: "added", MODIFIED: "changed", DELETED: "deleted" };

interface ShownRow {
  row: TableRow;
  version: string;
  mark: RowMark;
  markedAt: number;
}

/** Rows of one kind. */
class Section {
  private columns: readonly TableColumn[] = [];
  private readonly rows = new Map<string, ShownRow>();
  private seen = new Set<string>();

  constructor(
    private readonly options: RowOptions,
    private readonly now: () => number,
  ) {}

  add(page: JsonObject): void {
    for (const row of this.rowsOf(page)) this.set(row, "none");
  }

  change(type: Change["type"], page: JsonObject): void {
    for (const row of this.rowsOf(page)) this.set(row, MARKS[type]);
  }

  replace(page: JsonObject, isFirst: boolean, isLast: boolean): void {
    if (isFirst) this.seen = new Set();
    for (const row of this.rowsOf(page)) {
      const { key, version } = identityOf(row);
      const before = this.rows.get(key);
      this.seen.add(key);
      if (before === undefined) this.set(row, "added");
      else if (before.version !== version) this.set(row, "changed");
    }
    if (!isLast) return;
    for (const [key, { row }] of this.rows) if (!this.seen.has(key)) this.set(row, "deleted");
  }

  view(): LiveSection {
    const now = this.now();
    const rows: LiveRow[] = [];
    for (const [key, shown] of this.rows) {
      const isOld = now - shown.markedAt > MARKED_MS;
      if (isOld && shown.mark === "deleted") this.rows.delete(key);
      else rows.push({ cells: this.cellsOf(shown.row, now), mark: isOld ? "none" : shown.mark });
    }
    return { headers: tableHeaders(this.columns, this.options), rows };
  }

  private rowsOf(page: JsonObject): readonly TableRow[] {
    const { columns, rows } = tableOf(page, this.now(), this.columns);
    this.columns = columns;
    return rows;
  }

  private set(row: TableRow, mark: RowMark): void {
    const { key, version } = identityOf(row);
    this.rows.set(key, { row, version, mark, markedAt: this.now() });
  }

  /** Returns the cells, with the age of now. */
  private cellsOf(row: TableRow, now: number): string[] {
    const created = metadataOf(row.object)["creationTimestamp"];
    const at = this.columns.findIndex(({ name }) => name === "Age");
    const given = row.cells ?? [];
    const cells =
      typeof created === "string" && at >= 0 && at < given.length ? given.with(at, ageText(created, now)) : given;
    return tableCells(this.columns, { ...row, cells }, this.options);
  }
}

function identityOf({ object, cells }: TableRow): { readonly key: string; readonly version: string } {
  const { uid, namespace, name, resourceVersion } = metadataOf(object);
  return { key: String(uid ?? `${String(namespace)}/${String(name ?? cells?.[0])}`), version: String(resourceVersion) };
}

/** Shows the tables until the signal is aborted. */
export async function watchLive(
  session: Session,
  followers: readonly Follower[],
  options: GetOptions,
  until: AbortSignal,
): Promise<void> {
  const { output, showLabels, labelColumns, allNamespaces, showKind } = options;
  const now = session.io.now;
  const sections = followers.map(
    ({ target: { type } }) =>
      new Section(
        {
          wide: output === "wide",
          showLabels,
          labelColumns,
          withNamespace: allNamespaces === true && type.namespaced,
          namePrefix: showKind || followers.length > 1 ? kindPrefix(type) : "",
        },
        now,
      ),
  );
  for (const [at, follower] of followers.entries()) {
    for await (const page of follower.pages()) (sections[at] as Section).add(page);
  }
  const problems = new Map<Follower, string>();
  const table = new LiveTable(session.io, () => viewOf(sections, problems, options));
  try {
    table.update();
    const work = followers.map((follower, at) => {
      const section = sections[at] as Section;
      return follower.changes(
        {
          changed: ({ type, object }) => section.change(type, object),
          relisted: (page, isFirst, isLast) => section.replace(page, isFirst, isLast),
          interrupted: (why) => {
            if (why === undefined) problems.delete(follower);
            else problems.set(follower, why);
            table.update();
          },
        },
        until,
      );
    });
    await Promise.all(work);
  } finally {
    table.end();
  }
}

function viewOf(
  sections: readonly Section[],
  problems: ReadonlyMap<Follower, string>,
  { headers }: GetOptions,
): LiveView {
  const views = sections.map((section) => section.view()).map((view) => (headers ? view : { ...view, headers: [] }));
  const [problem] = problems.values();
  const note =
    problem !== undefined
      ? `The connection is interrupted, and is tried again: ${problem.split("\n")[0]}`
      : views.every(({ rows }) => rows.length === 0)
        ? "No resources found; waiting for changes"
        : undefined;
  return { sections: views, note };
}
