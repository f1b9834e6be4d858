// Creates folders. The recursive mode of `mkdir` in Node.js 20 never returns on file systems that reject new entries
// with ENOENT, such as /proc.
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder and its missing parents.
 * @param mode mode of the created folders
 * @throws the error of the file system, with its code
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    missing.push(folder);
  }
  for (const folder of missing.reverse()) make(folder, mode);
  // Throws the usual error when the path exists and is not a folder.
  if (missing.length === 0) mkdirSync(path, { recursive: true, mode });
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
