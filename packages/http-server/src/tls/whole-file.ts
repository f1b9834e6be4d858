// Atomic writes of files that other processes may read at any time.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

export interface WholeFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

/** Writes a file atomically, even when the process is killed or the disk is full. */
export const writeWhole = (file: string, text: string, mode: number): void => writeTogether([{ file, text, mode }]);

/**
 * Writes several files: none is replaced before all are written to the disk. Files that already have the content are
 * left alone.
 * @throws Error; all files are unchanged then, except after a failure between two renames
 */
export function writeTogether(files: readonly WholeFile[]): void {
  const due = files.filter((file) => !isThere(file));
  try {
    for (const { file, text, mode } of due) writeFileSync(`${file}.new`, text, { mode });
    for (const { file } of due) renameSync(`${file}.new`, file);
  } catch (error) {
    for (const { file } of due) rmSync(`${file}.new`, { force: true });
    throw error;
  }
}

function isThere({ file, text, mode }: WholeFile): boolean {
  try {
    return (statSync(file).mode & 0o777) === mode && readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}
