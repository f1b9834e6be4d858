// Files that make a server easier to use, and without which it serves as well.
import { messageOf } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";
import type { Logger } from "../logging/logger";
import { isOfDisk } from "../tls/disk-failure";

export interface FileForOthers {
  readonly logger: Logger;
  /** Says where it is. */
  readonly option: keyof ServerConfig;
}

/**
 * A full disk is no reason not to serve: it is told of, and what was there stays.
 * @returns undefined where the disk did not take it
 * @throws Error for all else that keeps it from being written, such as a folder that is none
 */
export function unlessDiskIsFull<Written>(
  { logger, option }: FileForOthers,
  write: () => Written,
): Written | undefined {
  try {
    return write();
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    tellUnwritten({ logger, option }, error);
    return undefined;
  }
}

export function tellUnwritten({ logger, option }: FileForOthers, error: unknown, file?: string): void {
  const name = file === undefined ? {} : { file };
  logger.warn(`--${option}: a file could not be written`, { ...name, error: messageOf(error) });
}
