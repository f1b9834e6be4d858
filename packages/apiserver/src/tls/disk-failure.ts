// Why a file could not be written, where nobody has asked for anything wrong.

const NO_ROOM: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** There is no room. @param error or one whose cause it is */
export const isForRoom = (error: unknown): boolean => NO_ROOM.has(codeOf(error));

/** There is no room, or the disk fails. */
export const isOfDisk = (error: unknown): boolean => isForRoom(error) || codeOf(error) === "EIO";

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (error as NodeJS.ErrnoException).code ?? codeOf(error.cause);
}
