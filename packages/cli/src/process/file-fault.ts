// Texts of errors of the file system, without the names of codes and system calls.
import { systemFault } from "@orch/platform";

/** Describes an error of the file system, with its file. @param path file, if the error does not name it as the user did */
export function fileFault(error: unknown, path = (error as NodeJS.ErrnoException).path): string {
  const text = systemFault(error);
  return path === undefined ? text : `${path}: ${text}`;
}

/** Tells whether an error comes from the file system and names its file. */
export const isFileFault = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error && "path" in error;
