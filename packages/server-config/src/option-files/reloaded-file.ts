// Reloads option files when they change. A file with faults leaves the previous content in force.
import { type Log, type NamedMetrics, watchFiles } from "@orch/platform";

export interface ReloadParts {
  readonly logger: Log;
  readonly metrics: NamedMetrics<"apiserver_configuration_reloads_total">;
}

/** A file that a command line option names; `option` is without dashes. */
export interface OptionFile {
  readonly option: string;
  readonly file: string;
}

/**
 * Reloads a file after changes. Each reload is logged and counted in
 * `apiserver_configuration_reloads_total{option,result}`. Reloads run one after the other.
 * @param load puts the content in force, or throws and changes nothing
 * @returns a function that stops
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
      logger.info("reloaded a changed file", { option, file });
    } catch (error) {
      count.inc({ option, result: "failure" });
      logger.error("a changed file is invalid: its previous content remains in use", {
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
