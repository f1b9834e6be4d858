// Brings what is stored into the form in which it would be stored now, where somebody asks for it: in the present version, under the present
// key. One replica is at a resource at a time; where it ends, whether well or not, another goes on from what it has written down. The server does
// it, not one of its clients: it alone knows how an object lies in the store, and can put that right without changing what clients see.
import type { GroupResource } from "@orch/machinery";
import { errorFields } from "@orch/platform";
import type { Logger } from "../logging/logger";
import { isUnfinished, type MigrationRow, rowText } from "./migration-row";
import { LostRowError, MigrationRun, type MigrationRunParts } from "./migration-run";

export interface StorageMigrationParts extends MigrationRunParts {
  /** This replica: the same one again after a restart, and nobody else. */
  readonly replica: () => string;
  readonly logger: Logger;
}

/** Between two looks at what is asked for. */
const LOOK_EVERY_MS = 2000;
/** What has not moved for so long is given up: longer than a conversion takes. */
const ABANDONED_MS = 45_000;

export class StorageMigration {
  private readonly stopping = new AbortController();
  private cancelLook = () => {};
  private work: Promise<void> | undefined;
  /** How each row was when it last changed, as far as was seen here. */
  private readonly seen = new Map<string, { readonly text: string; readonly sinceMs: number }>();

  constructor(private readonly parts: StorageMigrationParts) {}

  start(): void {
    this.look();
  }

  /** What is under way is written down, so that another replica goes on at once. */
  async stop(): Promise<void> {
    this.cancelLook();
    this.stopping.abort(new Error("the server stops"));
    await this.work;
  }

  /** Begins, unless it is under way already. @throws StatusError where it cannot be written down */
  async request(resources: readonly GroupResource[]): Promise<void> {
    await this.parts.record.request(resources);
    this.cancelLook();
    this.look();
  }

  private look(): void {
    if (this.stopping.signal.aborted || this.work !== undefined) return;
    this.work = this.goOn()
      .catch((error: unknown) => {
        if (error instanceof LostRowError || this.stopping.signal.aborted) return;
        this.parts.logger.warn("a migration is interrupted", errorFields(error));
      })
      .finally(() => {
        this.work = undefined;
        if (this.stopping.signal.aborted) return;
        this.cancelLook = this.parts.clock.after(LOOK_EVERY_MS, () => this.look(), { background: true });
      });
  }

  /** One after the other, until there is nothing for this replica to do. */
  private async goOn(): Promise<void> {
    const { record, replica, logger } = this.parts;
    const { signal } = this.stopping;
    for (;;) {
      const next = this.nextRow();
      if (next === undefined || signal.aborted) return;
      const [name, row] = next;
      const own = await record.claim(name, row, replica());
      // Another replica came first, and the cache is about to say so.
      if (own === undefined) return;
      logger.info("a migration begins", { resource: name, after: own.after });
      await new MigrationRun(this.parts, resourceOf(name), own).toItsEnd(signal);
      logger.info("a migration has ended", { resource: name });
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
