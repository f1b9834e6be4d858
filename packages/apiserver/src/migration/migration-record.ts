// Record of migrations: one ConfigMap in the system namespace with a row for each resource. All replicas share it, and
// it survives restarts.
import { conflict, type GroupResource, isReason, MOST_RECENT, resourceText } from "@orch/machinery";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject } from "@orch/schema";
import { isUnfinished, type MigrationRow, newRow, readRow, rowText } from "./migration-row";

export const RECORD_NAME = "storage-migrations";

export interface MigrationRecordParts {
  /** Storage of ConfigMaps. */
  readonly storage: ResourceStorage;
  /** The system namespace. */
  readonly namespace: string;
  readonly write: WriteContext;
  readonly now: () => string;
}

/** Rows by resource name as in errors: `secrets`, `widgets.example.com`. */
export type MigrationRows = ReadonlyMap<string, MigrationRow>;

const NONE: MigrationRows = new Map();
/** See `Entry.made`. */
const ROWS = {};

export class MigrationRecord {
  constructor(private readonly parts: MigrationRecordParts) {}

  /** Returns the rows in the cache. */
  cached(): MigrationRows {
    return this.parts.storage.peek(this.key)?.made(ROWS, (entry) => rowsOf(entry.whole())) ?? NONE;
  }

  /** Reads the rows from the store. @throws StatusError when the store cannot be read */
  async rows(): Promise<MigrationRows> {
    try {
      return rowsOf((await this.parts.storage.get(this.key, MOST_RECENT)).whole());
    } catch (error) {
      if (isReason(error, "NotFound")) return NONE;
      throw error;
    }
  }

  /** Requests migrations. Rows that are under way stay unchanged. @throws StatusError */
  async request(resources: readonly GroupResource[]): Promise<void> {
    const requested = this.parts.now();
    await this.change((rows) =>
      resources.map(resourceText).flatMap((name) => {
        const row = rows.get(name);
        return row !== undefined && isUnfinished(row) ? [] : [[name, newRow(requested)]];
      }),
    );
  }

  /**
   * Takes over a row for a replica.
   * @returns the claimed row; undefined when another replica claimed it first
   * @throws StatusError
   */
  async claim(name: string, row: MigrationRow, by: string): Promise<MigrationRow | undefined> {
    const started = row.started === "" ? this.parts.now() : row.started;
    const next: MigrationRow = { ...row, phase: "Running", by, started, beat: row.beat + 1 };
    return (await this.replace(name, row, next)) ? next : undefined;
  }

  /**
   * Saves a row.
   * @returns false when the stored row is not `row`: another replica has taken it over
   * @throws StatusError
   */
  async replace(name: string, row: MigrationRow, next: MigrationRow): Promise<boolean> {
    try {
      await this.change((rows) => {
        const found = rows.get(name);
        if (found === undefined || rowText(found) !== rowText(row))
          throw conflict({ group: "", resource: "configmaps" }, RECORD_NAME, `another server migrates ${name}`);
        return [[name, next]];
      });
      return true;
    } catch (error) {
      if (isReason(error, "Conflict") || isReason(error, "NotFound")) return false;
      throw error;
    }
  }

  private async change(edit: (rows: MigrationRows) => readonly (readonly [string, MigrationRow])[]): Promise<void> {
    const { storage, write } = this.parts;
    for (;;) {
      try {
        const changed = (object: JsonObject): JsonObject => {
          const texts = edit(rowsOf(object)).map(([name, row]) => [name, rowText(row)] as const);
          return { ...object, data: { ...(object["data"] as JsonObject), ...Object.fromEntries(texts) } };
        };
        await storage.changeInPlace(changed, this.key, write);
        return;
      } catch (error) {
        if (!isReason(error, "NotFound")) throw error;
        await this.create();
      }
    }
  }

  private async create(): Promise<void> {
    const { storage, write } = this.parts;
    const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { ...this.key } };
    try {
      await storage.create(object, { ...this.key, name: "" }, write);
    } catch (error) {
      if (!isReason(error, "AlreadyExists")) throw error;
    }
  }

  private get key() {
    return { namespace: this.parts.namespace, name: RECORD_NAME };
  }
}

function rowsOf({ data }: JsonObject): MigrationRows {
  const found = new Map<string, MigrationRow>();
  for (const [name, text] of Object.entries(isObject(data) ? data : {})) {
    const row = readRow(text);
    if (row !== undefined) found.set(name, row);
  }
  return found;
}
