// The objects of a followed list by their identity, so that a list that is read again is shown as the changes since.
import { isObject, type JsonObject } from "@orch/schema";
import { metadataOf } from "../../../output/server-table";
import type { Change } from "./follow";

export interface KeptRow {
  readonly key: string;
  readonly version: string;
  /** The object, or a table with its row. */
  readonly part: JsonObject;
}

export interface RowChange {
  readonly type: Change["type"];
  readonly row: KeptRow;
}

export class KeptRows {
  private readonly rows = new Map<string, KeptRow>();
  private seen = new Set<string>();

  /** Adds rows of the first list. */
  add(parts: readonly JsonObject[]): KeptRow[] {
    return parts.map((part) => {
      const row = rowOf(part);
      this.rows.set(row.key, row);
      return row;
    });
  }

  change(type: Change["type"], part: JsonObject): KeptRow {
    const row = rowOf(part);
    if (type === "DELETED") this.rows.delete(row.key);
    else this.rows.set(row.key, row);
    return row;
  }

  /** Compares a page of a list that is read again. @returns what has changed; after the last page also what is gone */
  replace(parts: readonly JsonObject[], isFirst: boolean, isLast: boolean): RowChange[] {
    if (isFirst) this.seen = new Set();
    const changes: RowChange[] = [];
    for (const part of parts) {
      const row = rowOf(part);
      const before = this.rows.get(row.key);
      this.seen.add(row.key);
      this.rows.set(row.key, row);
      if (before === undefined) changes.push({ type: "ADDED", row });
      else if (before.version !== row.version) changes.push({ type: "MODIFIED", row });
    }
    if (!isLast) return changes;
    for (const [key, row] of this.rows) {
      if (this.seen.has(key)) continue;
      this.rows.delete(key);
      changes.push({ type: "DELETED", row });
    }
    return changes;
  }
}

function rowOf(part: JsonObject): KeptRow {
  const first = Array.isArray(part["rows"]) ? part["rows"][0] : undefined;
  const object = isObject(first) ? first["object"] : part;
  const { uid, namespace, name, resourceVersion } = metadataOf(isObject(object) ? object : undefined);
  return { key: String(uid ?? `${String(namespace)}/${String(name)}`), version: String(resourceVersion), part };
}
