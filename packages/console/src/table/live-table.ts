// The rows of one resource: listed in pages, then kept current by a watch. Changes are shown once per frame.
import { batch, signal } from "@preact/signals";
import { collectionPath, type Resource } from "../discovery/resource";
import type { ChangeType } from "../live/changes";
import { follow } from "../live/follow";
import { Pauses, pauseAfter } from "../live/pause";
import { mayPass } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";
import { pagesOf } from "../requests/lists";
import { names } from "../session/settings";
import { type Column, type Row, rowsOf, type TableAnswer } from "./row";
import { orderBy, type SortKey, textFilter } from "./row-order";
import { SortedRows } from "./sorted-rows";

export interface TableQuery {
  readonly resource: Resource;
  readonly namespace: string;
  readonly labelSelector: string;
}

export type TablePhase = "loading" | "live" | "failed";

export class LiveTable {
  readonly rows = new SortedRows(orderBy(undefined, []), () => true);
  readonly columns = signal<readonly Column[]>([]);
  readonly phase = signal<TablePhase>("loading");
  /** The failure of the list, or of the connection that is tried again. */
  readonly failure = signal<Failure | undefined>(undefined);
  /** Grows whenever the rows have changed. */
  readonly revision = signal(0);
  private sort: SortKey | undefined;
  private filter = "";
  /** Changes that the next frame shows, by key; undefined for a row that is gone. */
  private readonly waiting = new Map<string, Row | undefined>();
  private frame = 0;
  private readonly ending = new AbortController();
  private unfollow = (): void => undefined;

  constructor(private readonly query: TableQuery) {}

  start(): void {
    this.load();
  }

  stop(): void {
    this.ending.abort();
    this.unfollow();
    cancelAnimationFrame(this.frame);
  }

  arrange(sort: SortKey | undefined, filter: string): void {
    this.sort = sort;
    this.filter = filter;
    this.rearrange();
  }

  private get accept(): string {
    return `application/json;as=Table;g=${names().meta};v=v1`;
  }

  private async load(): Promise<void> {
    const pauses = new Pauses();
    const { signal } = this.ending;
    while (!signal.aborted) {
      try {
        const resourceVersion = await this.list();
        if (signal.aborted) return;
        this.watch(resourceVersion);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        batch(() => {
          this.failure.value = failure;
          if (!mayPass(error)) this.phase.value = "failed";
        });
        if (!mayPass(error)) return;
        const pause = pauses.take(Math.random(), pauseAfter(failure));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  /** Lists all rows. Those of an earlier list that no longer exist are removed at the end. @returns its version */
  private async list(): Promise<string> {
    const { resource, namespace, labelSelector } = this.query;
    const seen = new Set<string>();
    let version = "";
    for await (const page of pagesOf<TableAnswer>(collectionPath(resource, namespace), {
      accept: this.accept,
      query: { labelSelector: labelSelector || undefined },
      signal: this.ending.signal,
    })) {
      version = page.metadata.resourceVersion ?? version;
      this.takeColumns(page);
      const rows = rowsOf(page);
      for (const row of rows) seen.add(row.key);
      this.rows.put(rows);
      this.show();
    }
    this.rows.retain(seen);
    batch(() => {
      this.phase.value = "live";
      this.failure.value = undefined;
    });
    this.show();
    return version;
  }

  private watch(resourceVersion: string): void {
    const { resource, namespace, labelSelector } = this.query;
    const target = { resource, namespace, labelSelector, accept: this.accept, resourceVersion };
    this.unfollow = follow(target, {
      change: (type, object) => this.change(type, object as TableAnswer),
      lost: () => this.load(),
      connection: (failure) => {
        this.failure.value = failure;
      },
    });
  }

  private change(type: ChangeType, table: TableAnswer): void {
    this.takeColumns(table);
    for (const row of rowsOf(table)) this.waiting.set(row.key, type === "DELETED" ? undefined : row);
    this.frame ||= requestAnimationFrame(() => this.showWaiting());
  }

  private showWaiting(): void {
    this.frame = 0;
    const changed: Row[] = [];
    const gone: string[] = [];
    for (const [key, row] of this.waiting) {
      if (row === undefined) gone.push(key);
      else changed.push(row);
    }
    this.waiting.clear();
    this.rows.remove(gone);
    this.rows.put(changed);
    this.show();
  }

  private takeColumns({ columnDefinitions }: TableAnswer): void {
    if (!columnDefinitions || sameColumns(columnDefinitions, this.columns.value)) return;
    this.columns.value = columnDefinitions;
    this.rearrange();
  }

  private rearrange(): void {
    this.rows.rearrange(orderBy(this.sort, this.columns.value), textFilter(this.filter));
    this.show();
  }

  private show(): void {
    this.revision.value += 1;
  }
}

const sameColumns = (some: readonly Column[], others: readonly Column[]): boolean =>
  some.length === others.length &&
  some.every(({ name, type }, i) => others[i]?.name === name && others[i].type === type);
