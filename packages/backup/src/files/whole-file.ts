// Files that are whole or not there: written under another name, checked, and then given their name.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemFault } from "@orch/platform";
import { BackupError } from "../content/backup-error";

/** Marks a file that is not whole. */
export const PARTIAL = ".partial-";

export interface WholeFileOptions<Found> {
  readonly check: (path: string) => Promise<Found>;
  /** Whether the file may replace another one. Default false. */
  readonly replaces?: boolean;
  /** Part of the name of the partial file. Default: none. */
  readonly mark?: string;
}

/**
 * Writes a file from pieces. @param check throws for a file that is not whole; the file then does not appear
 * @returns what the check found
 */
export async function writeWhole<Found>(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  { check, replaces = false, mark = "" }: WholeFileOptions<Found>,
): Promise<Found> {
  refuseExisting(path, replaces);
  const draft = join(dirname(path), `${basename(path)}${PARTIAL}${mark}${randomBytes(4).toString("hex")}`);
  const file = await onDisk(path, open(draft, "wx", 0o600));
  try {
    try {
      for await (const piece of pieces) await onDisk(path, file.writeFile(piece));
      await onDisk(path, file.sync());
    } finally {
      await file.close();
    }
    const found = await check(draft);
    if (replaces) renameSync(draft, path);
    else {
      // Unlike a rename, a link does not replace a file that has appeared meanwhile.
      linkSync(draft, path);
      rmSync(draft);
    }
    return found;
  } catch (error) {
    await rm(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code === "EEXIST") refuseExisting(path, false);
    throw error;
  }
}

/** @throws BackupError for a file that cannot be written, such as on a full disk */
async function onDisk<Value>(path: string, act: Promise<Value>): Promise<Value> {
  try {
    return await act;
  } catch (error) {
    throw new BackupError(`${path} cannot be written: ${systemFault(error)}`, { cause: error });
  }
}

function refuseExisting(path: string, replaces: boolean): void {
  if (!replaces && existsSync(path))
    throw new BackupError(`${path} exists: name another file, or replace it with --force`);
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
