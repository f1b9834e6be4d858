// Files that others may read at any moment.
import { renameSync, writeFileSync } from "node:fs";

/** Never half of it, whenever the process is killed or the file is read. */
export function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}
