// Checks a backup while its bytes pass, in any pieces. Keeps no more of it than one frame.

import type { Revision } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { BACKUP_FORMAT, type BackupEnd, type BackupHead } from "./backup-pieces";
import { decodeHead, type FrameHead, frameLength, HEAD_BYTES, isIntact } from "./frame";

/** Larger than any record: the store has a lower limit for a transaction. */
const CONTENT_MAX_BYTES = 64 * 1024 * 1024;

export interface BackupFacts {
  /** Revision of the backup. */
  readonly revision: Revision;
  readonly objects: number;
}

export class BackupCheck {
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** Number of bytes from which the next frame can be read. */
  private needed = HEAD_BYTES;
  private at = 0;
  private objects = 0;
  private head: BackupHead | undefined;
  private end: BackupEnd | undefined;

  /** @param name of the backup, for messages */
  constructor(private readonly name: string) {}

  /** @throws StoreOpenError damaged, foreign, newer */
  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.waiting.push(piece);
    this.waitingBytes += piece.length;
    if (this.waitingBytes < this.needed) return;
    let rest = this.waiting.length === 1 ? piece : Buffer.concat(this.waiting);
    for (let length = this.frameIn(rest); length !== undefined; length = this.frameIn(rest)) {
      rest = rest.subarray(length);
      this.at += length;
    }
    this.waiting = [rest];
    this.waitingBytes = rest.length;
  }

  /** Ends the check. @throws StoreOpenError cut, empty */
  finish(): BackupFacts {
    const { head, end, objects, name } = this;
    if (this.at + this.waitingBytes === 0) throw new StoreOpenError("empty", `${name} is empty`);
    if (head !== undefined && end?.count === objects && this.waitingBytes === 0)
      return { revision: head.revision, objects };
    throw new StoreOpenError(
      "cut",
      `${name} is not a complete backup: it is truncated after byte ${this.at + this.waitingBytes}`,
    );
  }

  /** Takes the frame at the start of the bytes. @returns its length; undefined while a part of it is missing */
  private frameIn(bytes: Buffer): number | undefined {
    this.needed = HEAD_BYTES;
    if (bytes.length < HEAD_BYTES) return undefined;
    const head = decodeHead(bytes, 0);
    if (head === undefined || head.length > CONTENT_MAX_BYTES) throw this.unreadable(head);
    const length = frameLength(head.length);
    this.needed = length;
    if (bytes.length < length) return undefined;
    const content = bytes.subarray(HEAD_BYTES, HEAD_BYTES + head.length);
    if (!isIntact(head, content)) throw this.unreadable(head);
    this.take(head, content);
    this.needed = HEAD_BYTES;
    return length;
  }

  private take({ kind, revision }: FrameHead, content: Buffer): void {
    if (this.head === undefined) {
      if (kind !== "backup") throw this.foreign();
      this.head = JSON.parse(content.toString()) as BackupHead;
      const { format } = this.head;
      if (format !== BACKUP_FORMAT)
        throw new StoreOpenError(
          "newer",
          `${this.name} has format ${format}; this release reads format ${BACKUP_FORMAT}`,
        );
    } else if (this.end !== undefined || (kind !== "commit" && kind !== "backupEnd"))
      throw this.unreadable({ revision });
    else if (kind === "commit") this.objects += 1;
    else this.end = JSON.parse(content.toString()) as BackupEnd;
  }

  private unreadable(head: Pick<FrameHead, "revision"> | undefined): StoreOpenError {
    if (this.at === 0 && head === undefined) return this.foreign();
    const which = head !== undefined && head.revision > 0 ? `the record of revision ${head.revision}` : "a record";
    return new StoreOpenError("damaged", `${this.name} is damaged: ${which} at byte ${this.at} is corrupt`);
  }

  private foreign(): StoreOpenError {
    return new StoreOpenError("foreign", `${this.name} is not a backup, or all of its content is lost`);
  }
}
