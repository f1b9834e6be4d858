// Convenience files of a server, which it can run without.

import type { Logger } from "@orch/apiserver";
import { isOfDisk } from "@orch/http-server";
import { messageOf } from "@orch/platform";
import type { ServerConfig } from "@orch/server-config";

export interface FileForOthers {
  readonly logger: Logger;
  /** The option that names the file. */
  readonly option: keyof ServerConfig;
}

/**
 * Logs a full disk and keeps the previous file: the server can run without it.
 * @returns undefined when the disk is full
 * @throws Error for every other failure, such as a path that is not a directory
 */
export function unlessDiskIsFull<Written>(
  { logger, option }: FileForOthers,
  write: () => Written,
): Written | undefined {
  try {
    return write();
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    reportUnwrittenFile({ logger, option }, error);
    return undefined;
  }
}

export function reportUnwrittenFile({ logger, option }: FileForOthers, error: unknown, file?: string): void {
  const name = file === undefined ? {} : { file };
  logger.warn(`--${option}: a file could not be written`, { ...name, error: messageOf(error) });
}
