// Backups in a folder.
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "@orch/platform";
import { BackupError } from "../content/backup-error";
import { type CheckedBackup, checkedFile, filePieces } from "../content/content-check";
import { readBackupName } from "../files/backup-names";
import { PARTIAL, writeWhole } from "../files/whole-file";
import type { BackupTarget } from "./backup-target";

/** Age from which no process can still be writing a partial file. */
const ABANDONED_MS = 3_600_000;

export interface FolderOptions {
  /**
   * Mark of partial files whose writers exclude each other: all of them are abandoned when the next backup begins.
   * Default: none, and partial files are removed when they are old.
   */
  readonly exclusiveMark?: string;
}

export class FolderTarget implements BackupTarget {
  constructor(
    private readonly folder: string,
    private readonly options: FolderOptions = {},
  ) {}

  placeOf(name: string): string {
    return join(this.folder, name);
  }

  async write(name: string, pieces: AsyncIterable<Buffer>, signal: AbortSignal): Promise<CheckedBackup> {
    await this.onDisk(async () => makeFolder(this.folder, 0o700));
    const check = (path: string) => checkedFile(path, signal);
    return writeWhole(this.placeOf(name), pieces, { check, mark: this.options.exclusiveMark ?? "" });
  }

  read(name: string): AsyncIterable<Buffer> {
    return filePieces(this.placeOf(name));
  }

  async names(): Promise<readonly string[]> {
    return this.onDisk(() => readdir(this.folder));
  }

  async remove(name: string): Promise<void> {
    await this.onDisk(() => rm(this.placeOf(name), { force: true }));
  }

  async removePartial(nowMs: number): Promise<void> {
    const { exclusiveMark } = this.options;
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names) {
      const at = name.indexOf(PARTIAL);
      if (at < 0 || readBackupName(name.slice(0, at)) === undefined) continue;
      const isExclusive = exclusiveMark !== undefined && name.startsWith(exclusiveMark, at + PARTIAL.length);
      if (isExclusive || (await this.isOld(name, nowMs))) await this.remove(name);
    }
  }

  close(): void {}

  private async isOld(name: string, nowMs: number): Promise<boolean> {
    const written = await stat(this.placeOf(name)).catch(() => undefined);
    return written !== undefined && nowMs - written.mtimeMs > ABANDONED_MS;
  }

  /** @throws BackupError */
  private async onDisk<Value>(act: () => Promise<Value>): Promise<Value> {
    try {
      return await act();
    } catch (error) {
      throw new BackupError(`the folder ${this.folder}: ${(error as Error).message}`, { cause: error });
    }
  }
}
