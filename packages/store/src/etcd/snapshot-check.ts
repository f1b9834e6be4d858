// Checks a snapshot of etcd while its bytes pass: the last 32 bytes are the SHA-256 sum of the database before them.
// Source: etcd/server/etcdserver/api/v3rpc/maintenance.go; go.etcd.io/bbolt, internal/common/meta.go.
import { createHash } from "node:crypto";
import { StoreOpenError } from "../contract/open-problem";

const [SECTOR_BYTES, DIGEST_BYTES] = [512, 32];
/** Mark of a database of etcd, in its first page. */
const [BOLT_MARK, BOLT_MARK_AT] = [0xed0cdaed, 16];
/** Number of bytes that tell a snapshot of etcd from other files. */
export const SNAPSHOT_START_BYTES = BOLT_MARK_AT + 4;

/** @param start the first bytes of a file, at least SNAPSHOT_START_BYTES of them if it has so many */
export const isEtcdSnapshot = (start: Buffer): boolean =>
  start.length >= SNAPSHOT_START_BYTES && start.readUInt32LE(BOLT_MARK_AT) === BOLT_MARK;

export class SnapshotCheck {
  private readonly hash = createHash("sha256");
  /** The last bytes so far, which may be the sum. */
  private tail = Buffer.alloc(0);
  private bytes = 0;

  /** @param name of the snapshot, for messages */
  constructor(private readonly name: string) {}

  push(piece: Buffer): void {
    this.bytes += piece.length;
    const end = piece.length - DIGEST_BYTES;
    if (end >= 0) {
      this.hash.update(this.tail).update(piece.subarray(0, end));
      this.tail = Buffer.from(piece.subarray(end));
      return;
    }
    const all = Buffer.concat([this.tail, piece]);
    const surplus = Math.max(0, all.length - DIGEST_BYTES);
    this.hash.update(all.subarray(0, surplus));
    this.tail = all.subarray(surplus);
  }

  /** Ends the check. @throws StoreOpenError cut, damaged */
  finish(): void {
    const { name, bytes } = this;
    if (bytes % SECTOR_BYTES !== DIGEST_BYTES)
      throw new StoreOpenError(
        "cut",
        `${name} is not a complete snapshot: its ${bytes} bytes do not end with a checksum`,
      );
    if (!this.hash.digest().equals(this.tail))
      throw new StoreOpenError("damaged", `${name} is damaged: its checksum is not that of its content`);
  }
}
