// Why a store cannot be opened, told apart so that a program may end with a code of its own for each and say what to do.

/**
 * - damaged: what is in it is not what was written
 * - cut: a file ends before its end, or is missing among others
 * - gone: its folder is there, and none of its files
 * - foreign: a file that is none of this store's
 * - empty: a file without a byte
 * - newer: written by a newer release
 * - inUse: another process has it open
 * - noAccess: the operating system refuses it to this user
 * - noRoom: nothing can be written where something must be
 * - unreadable: the disk fails
 * - exists: there is one already where a new one was to be made
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

/** Does something with the files of a store. @throws StoreOpenError for what the operating system refuses */
export function withFiles<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asOpenError(what, error);
  }
}

/** @returns the error itself where it is one already, or says nothing of a file */
export function asOpenError(what: string, error: unknown): unknown {
  if (error instanceof StoreOpenError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new StoreOpenError(BY_ERRNO[code] ?? "unreadable", `${what}: ${message}`, { cause: error });
}
