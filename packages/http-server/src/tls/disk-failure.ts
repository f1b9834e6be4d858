// Classifies errors of writing files that no input has caused.

const NO_ROOM: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Whether the disk is full. @param error or an error whose cause is the failure */
export const isDiskFull = (error: unknown): boolean => NO_ROOM.has(codeOf(error));

/** Whether the disk is full or fails. */
export const isOfDisk = (error: unknown): boolean => isDiskFull(error) || codeOf(error) === "EIO";

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (error as NodeJS.ErrnoException).code ?? codeOf(error.cause);
}
