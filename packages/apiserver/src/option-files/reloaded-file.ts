// Configuration without restarts: an option's file is read again when it changes; one that cannot be used changes nothing.
import { watchFiles } from "@orch/platform";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";

export interface ReloadParts {
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

/** A file that an option of the command line, without its dashes, names. */
export interface OptionFile {
  readonly option: string;
  readonly file: string;
}

/**
 * Told in the log, and counted in `apiserver_configuration_reloads_total{option,result}`. One reading follows the other.
 * @param load puts the file's contents in force, or throws and leaves everything as it was
 * @returns stops
 */
export function reloadWhenChanged(
  { logger, metrics }: ReloadParts,
  { option, file }: OptionFile,
  load: () => void | Promise<void>,
): () => void {
  const count = metrics.counter("apiserver_configuration_reloads_total");
  let loading: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      await load();
      count.inc({ option, result: "success" });
      logger.info("a file has changed and is in force", { option, file });
    } catch (error) {
      count.inc({ option, result: "failure" });
      logger.error("a file has changed and cannot be used: what was read before stays in force", {
        option,
        file,
        error: (error as Error).message,
      });
    }
  };
  return watchFiles([file], () => {
    loading = loading.then(reload);
  });
}
