// Atomic writes of files that other processes may read at any time.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

export interface AtomicFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

/** Writes a file atomically, even when the process is killed or the disk is full. */
export const writeFileAtomically = (file: string, text: string, mode: number): void =>
  writeFilesAtomically([{ file, text, mode }]);

/**
 * Writes several files: none is replaced before all are written to the disk. Files that already have the content are
 * left alone.
 * @throws Error; all files are unchanged then, except after a failure between two renames
 */
export function writeFilesAtomically(files: readonly AtomicFile[]): void {
  const due = files.filter((file) => !isThere(file));
  try {
    for (const { file, text, mode } of due) writeFileSync(`${file}.new`, text, { mode });
    for (const { file } of due) renameSync(`${file}.new`, file);
  } catch (error) {
    for (const { file } of due) rmSync(`${file}.new`, { force: true });
    throw error;
  }
}

function isThere({ file, text, mode }: AtomicFile): boolean {
  try {
    return (statSync(file).mode & 0o777) === mode && readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}
