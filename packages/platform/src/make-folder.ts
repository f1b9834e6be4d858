// A folder and those above it. The recursive mode of `mkdir` of Node.js 20 never returns where a file system refuses new entries by ENOENT,
// as /proc does.
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Makes a folder and those above it that are missing. @param mode of those that are made @throws the error of the file system, with its code */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder) && folder !== dirname(folder); folder = dirname(folder)) {
    missing.push(folder);
  }
  for (const folder of missing.reverse()) make(folder, mode);
  // What is there and is no folder is told by the same error as ever.
  if (missing.length === 0) mkdirSync(path, { recursive: true, mode });
}

function make(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
