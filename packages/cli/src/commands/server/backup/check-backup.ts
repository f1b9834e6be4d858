// Checks of backups: a backup of an embedded store, and a snapshot of etcd with its trailer.
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { CliError } from "../../../process/cli-error";

export type CheckedBackup =
  | { readonly kind: "embedded"; readonly revision: number; readonly objects: number; readonly bytes: number }
  | { readonly kind: "etcd"; readonly bytes: number };

const [SECTOR_BYTES, DIGEST_BYTES, CHUNK_BYTES] = [512, 32, 1024 * 1024];
/** Mark of a database of etcd, in its first page. Source: go.etcd.io/bbolt, internal/common/meta.go. */
const [BOLT_MARK, BOLT_MARK_AT] = [0xed0cdaed, 16];

/** Reads a whole backup. @throws CliError for a file that is not a complete backup */
export function checkedBackup(path: string): CheckedBackup {
  if (isEtcdSnapshot(path)) return checkedSnapshot(path);
  const { checkBackup, StoreOpenError } = require("@orch/store") as typeof import("@orch/store");
  try {
    return { kind: "embedded", ...checkBackup(path), bytes: statSync(path).size };
  } catch (error) {
    if (error instanceof StoreOpenError) throw new CliError(error.message);
    throw error;
  }
}

export function isEtcdSnapshot(path: string): boolean {
  try {
    const start = Buffer.alloc(BOLT_MARK_AT + 4);
    return (
      withFile(path, (file) => readSync(file, start, 0, start.length, 0)) === start.length &&
      start.readUInt32LE(BOLT_MARK_AT) === BOLT_MARK
    );
  } catch {
    return false;
  }
}

/**
 * Compares the trailer, a SHA-256 sum that etcd sends after its database. Source:
 * etcd/server/etcdserver/api/v3rpc/maintenance.go.
 */
function checkedSnapshot(path: string): CheckedBackup {
  const { size } = statSync(path);
  if (size % SECTOR_BYTES !== DIGEST_BYTES) {
    throw new CliError(`${path} is not a complete snapshot: its ${size} bytes do not end with a checksum`);
  }
  const hash = createHash("sha256");
  const trailer = Buffer.alloc(DIGEST_BYTES);
  withFile(path, (file) => {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const end = size - DIGEST_BYTES;
    for (let at = 0; at < end; ) {
      const read = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, end - at), at);
      if (read === 0) throw new CliError(`${path} became shorter while it was read`);
      hash.update(chunk.subarray(0, read));
      at += read;
    }
    readSync(file, trailer, 0, DIGEST_BYTES, end);
  });
  if (!hash.digest().equals(trailer)) throw new CliError(`${path} is damaged: its checksum is not that of its content`);
  return { kind: "etcd", bytes: size };
}

function withFile<Found>(path: string, act: (file: number) => Found): Found {
  const file = openSync(path, "r");
  try {
    return act(file);
  } finally {
    closeSync(file);
  }
}
