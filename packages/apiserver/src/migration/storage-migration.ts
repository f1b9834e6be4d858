// Storage migration: rewrites stored objects in the present storage version and under the present key, on request. One
// replica works on a resource at a time; when it ends, another one resumes from the record. The server does this
// itself, because only the server sees how an object is stored, and can rewrite it without a change that clients see.
import type { GroupResource } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import { isUnfinished, type MigrationRow, rowText } from "./migration-row";
import { MigrationRun, type MigrationRunParts, RowTakenOverError } from "./migration-run";

export interface StorageMigrationParts extends MigrationRunParts {
  /** Identity of this replica: stable across restarts and unique. */
  readonly replica: () => string;
  readonly logger: Logger;
}

/** Interval between checks for requested migrations. */
const LOOK_EVERY_MS = 2000;
/** A row without progress for this time is taken over. Longer than a conversion takes. */
const ABANDONED_MS = 45_000;

export class StorageMigration {
  private readonly stopping = new AbortController();
  private cancelLook = () => {};
  private work: Promise<void> | undefined;
  /** Each row at its last change, as seen by this replica. */
  private readonly seen = new Map<string, { readonly text: string; readonly sinceMs: number }>();

  constructor(private readonly parts: StorageMigrationParts) {}

  start(): void {
    this.look();
  }

  /** Stops. Progress is saved, so that another replica resumes at once. */
  async stop(): Promise<void> {
    this.cancelLook();
    this.stopping.abort(new Error("the server is stopping"));
    await this.work;
  }

  /** Starts a migration unless it is under way already. @throws StatusError when the request cannot be recorded */
  async request(resources: readonly GroupResource[]): Promise<void> {
    await this.parts.record.request(resources);
    this.cancelLook();
    this.look();
  }

  private look(): void {
    if (this.stopping.signal.aborted || this.work !== undefined) return;
    this.work = this.goOn()
      .catch((error: unknown) => {
        if (error instanceof RowTakenOverError || this.stopping.signal.aborted) return;
        this.parts.logger.warn("a storage migration was interrupted", errorFields(error));
      })
      .finally(() => {
        this.work = undefined;
        if (this.stopping.signal.aborted) return;
        this.cancelLook = this.parts.clock.after(LOOK_EVERY_MS, () => this.look(), { background: true });
      });
  }

  /** Runs due migrations one after the other. */
  private async goOn(): Promise<void> {
    const { record, replica, logger } = this.parts;
    const { signal } = this.stopping;
    for (;;) {
      const next = this.nextRow();
      if (next === undefined || signal.aborted) return;
      const [name, row] = next;
      const own = await record.claim(name, row, replica());
      // Another replica was first; the cache is about to show that.
      if (own === undefined) return;
      logger.info("started a storage migration", { resource: name, after: own.after });
      await new MigrationRun(this.parts, resourceOf(name), own).toItsEnd(signal);
      logger.info("completed a storage migration", { resource: name });
    }
  }

  private nextRow(): readonly [string, MigrationRow] | undefined {
    const { record, replica, clock } = this.parts;
    const nowMs = clock.elapsed();
    const own = replica();
    let found: readonly [string, MigrationRow] | undefined;
    for (const [name, row] of record.cached()) {
      if (!isUnfinished(row)) continue;
      const text = rowText(row);
      const before = this.seen.get(name);
      const sinceMs = before?.text === text ? before.sinceMs : nowMs;
      this.seen.set(name, { text, sinceMs });
      const isFree = row.by === "" || row.by === own || nowMs - sinceMs >= ABANDONED_MS;
      if (isFree) found ??= [name, row];
    }
    return found;
  }
}

/** @param name `secrets`, `widgets.example.com` */
export function resourceOf(name: string): GroupResource {
  const dot = name.indexOf(".");
  return dot < 0 ? { group: "", resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}
