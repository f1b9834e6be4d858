// Writes a store in the format of release 0.1: LMDB with a record per revision.

import { open } from "lmdb";
import type { Commit } from "../mvcc/version-index";
import { recordBytes } from "./record-bytes";

export interface LmdbContent {
  readonly format?: string;
  readonly compacted?: number;
  readonly leases?: readonly (readonly [id: number, ttlSeconds: number])[];
  readonly commits: readonly Commit[];
}

export async function writeLmdbStore(directory: string, content: LmdbContent): Promise<void> {
  const database = open<Buffer, number | string | [string, number]>({
    path: directory,
    noSubdir: false,
    encoding: "binary",
    overlappingSync: false,
    eventTurnBatching: false,
  });
  await database.put("format", Buffer.from(content.format ?? "1"));
  if (content.compacted !== undefined) await database.put("compacted", Buffer.from(String(content.compacted)));
  for (const [id, ttlSeconds] of content.leases ?? []) {
    await database.put(["lease", id], Buffer.from(String(ttlSeconds)));
  }
  await database.batch(() => {
    for (const commit of content.commits) void database.put(commit.revision, recordBytes(commit));
  });
  await database.close();
}
