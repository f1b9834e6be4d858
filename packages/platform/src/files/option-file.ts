import { readFileSync } from "node:fs";

/** Reads a file that an option names. @throws Error that names the option and the file */
export function readOptionFile(option: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`--${option}: ${(error as Error).message}`, { cause: error });
  }
}
