// Files that others may read at any moment.
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

export interface WholeFile {
  readonly file: string;
  readonly text: string;
  readonly mode: number;
}

/** Never half of it, whenever the process is killed, the disk is full or the file is read. */
export const writeWhole = (file: string, text: string, mode: number): void => writeTogether([{ file, text, mode }]);

/**
 * None is put into its place before there is room for all. What is there already as it should be needs none.
 * @throws Error that leaves all as it was, but for a failure between one and the next
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
