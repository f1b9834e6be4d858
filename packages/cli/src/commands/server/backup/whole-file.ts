// Files that are whole or not there: written under another name, checked, and then given their name.
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CliError } from "../../../process/cli-error";

/** Marks a file that is not whole. */
export const PARTIAL = ".partial-";

/**
 * Writes a file from pieces. @param check throws for a file that is not whole; the file then does not appear
 * @returns what the check found
 */
export async function writeWhole<Found>(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  { check, replaces }: { readonly check: (path: string) => Found; readonly replaces: boolean },
): Promise<Found> {
  refuseExisting(path, replaces);
  const draft = join(dirname(path), `${basename(path)}${PARTIAL}${randomBytes(4).toString("hex")}`);
  let file: FileHandle;
  try {
    file = await open(draft, "wx", 0o600);
  } catch (error) {
    throw new CliError(`${path} cannot be written: ${(error as Error).message}`);
  }
  try {
    try {
      for await (const piece of pieces) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    const found = check(draft);
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

function refuseExisting(path: string, replaces: boolean): void {
  if (!replaces && existsSync(path))
    throw new CliError(`${path} exists: name another file, or replace it with --force`);
}

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
