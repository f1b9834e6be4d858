// Checks of backups: the backup of an embedded store, record by record, and the snapshot of etcd with its sum.
import { createReadStream } from "node:fs";
import { BackupCheck, isEtcdSnapshot, SNAPSHOT_START_BYTES, SnapshotCheck, StoreOpenError } from "@orch/store";
import { BackupError } from "./backup-error";

export type CheckedBackup =
  | { readonly kind: "embedded"; readonly revision: number; readonly objects: number; readonly bytes: number }
  | { readonly kind: "etcd"; readonly bytes: number };

export type BackupKind = CheckedBackup["kind"];

/** Number of bytes that are checked in one turn of the event loop. */
const PIECE_BYTES = 256 * 1024;

/** Checks a backup while its bytes pass. Its first bytes tell the kind. */
export class ContentCheck {
  private start: Buffer | undefined = Buffer.alloc(0);
  private check: BackupCheck | SnapshotCheck | undefined;
  private bytes = 0;

  /** @param name of the backup, for messages */
  constructor(private readonly name: string) {}

  /** @throws BackupError for damaged content */
  push(piece: Buffer): void {
    this.bytes += piece.length;
    withBackupErrors(() => this.checkOf(piece)?.push(piece));
  }

  /** @throws BackupError for content that is not a whole backup */
  finish(): CheckedBackup {
    return withBackupErrors(() => {
      this.check ??= this.begin(this.start ?? Buffer.alloc(0));
      const { bytes } = this;
      if (this.check instanceof BackupCheck) return { kind: "embedded", ...this.check.finish(), bytes };
      this.check.finish();
      return { kind: "etcd", bytes };
    });
  }

  private checkOf(piece: Buffer): BackupCheck | SnapshotCheck | undefined {
    if (this.start === undefined) return this.check;
    const start = Buffer.concat([this.start, piece]);
    if (start.length < SNAPSHOT_START_BYTES) {
      this.start = start;
      return undefined;
    }
    this.start = undefined;
    this.check = this.begin(start);
    return undefined;
  }

  private begin(start: Buffer): BackupCheck | SnapshotCheck {
    const check = isEtcdSnapshot(start) ? new SnapshotCheck(this.name) : new BackupCheck(this.name);
    check.push(start);
    return check;
  }
}

/** Reads a whole file. @throws BackupError for a file that is not a complete backup */
export async function checkedFile(path: string, signal?: AbortSignal): Promise<CheckedBackup> {
  return checkedPieces(path, filePieces(path), signal);
}

/** Checks all pieces. @param name of the backup, for messages @throws BackupError */
export async function checkedPieces(
  name: string,
  pieces: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<CheckedBackup> {
  const check = new ContentCheck(name);
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    check.push(piece);
  }
  return check.finish();
}

/** Reads a file in pieces, each in a turn of its own. @throws BackupError when it cannot be read */
export async function* filePieces(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new BackupError(unreadableText(path, error as NodeJS.ErrnoException), { cause: error });
  }
}

function unreadableText(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "EISDIR") return `${path} is a folder: name a file in it`;
  return code === "ENOENT" ? `the file ${path} does not exist` : `the backup: ${message}`;
}

function withBackupErrors<Value>(act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    if (error instanceof StoreOpenError) throw new BackupError(error.message, { cause: error });
    throw error;
  }
}
