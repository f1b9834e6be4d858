// Reasons why a store cannot be opened. A program can map each to an exit code and a remedy.

/**
 * - damaged: the content differs from what was written
 * - cut: a file is truncated, or one of several files is missing
 * - gone: the folder exists without any of its files
 * - foreign: a file that does not belong to the store
 * - empty: a file without a byte
 * - newer: written by a newer release
 * - inUse: another process has it open
 * - noAccess: the operating system denies access to this user
 * - noRoom: the disk has no space for a necessary write
 * - unreadable: the disk fails
 * - exists: a store exists already in the place of a new one
 * - missing: there is none
 */
export type OpenProblem =
  | "damaged"
  | "cut"
  | "gone"
  | "foreign"
  | "empty"
  | "newer"
  | "inUse"
  | "noAccess"
  | "noRoom"
  | "unreadable"
  | "exists"
  | "missing";

export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
  constructor(
    readonly problem: OpenProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const BY_ERRNO: Readonly<Record<string, OpenProblem>> = {
  EACCES: "noAccess",
  EPERM: "noAccess",
  EROFS: "noAccess",
  ENOSPC: "noRoom",
  EDQUOT: "noRoom",
  EFBIG: "noRoom",
  ENOTDIR: "foreign",
  EISDIR: "foreign",
  ENOENT: "missing",
};

/** Runs an action on the files of a store. @throws StoreOpenError for errors of the operating system */
export function withFiles<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asOpenError(what, error);
  }
}

/** Converts a file system error. @returns the error itself when it is a StoreOpenError, or not a file system error */
export function asOpenError(what: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new StoreOpenError(BY_ERRNO[code] ?? "unreadable", `${what}: ${message}`, { cause: error });
}
