// Reloads option files when they change. A file with faults leaves the previous content in force.
import { type Log, type NamedMetrics, watchFiles } from "@orch/platform";
import { identityHash } from "./configuration-hash";

/** Options whose reloads have metrics of their own in Kubernetes. Source: pkg/server/options in staging/src/k8s.io/apiserver. */
const CONTROLLERS = {
  "authentication-config": "apiserver_authentication_config_controller",
  "authorization-config": "apiserver_authorization_config_controller",
  "encryption-provider-config": "apiserver_encryption_config_controller",
} as const;
type Controller = (typeof CONTROLLERS)[keyof typeof CONTROLLERS];

export type ReloadMetrics = NamedMetrics<
  "apiserver_configuration_reloads_total" | `${Controller}_automatic_reloads_total`,
  `${Controller}_automatic_reload_last_timestamp_seconds` | "apiserver_certificate_expiration_timestamp_seconds"
>;

export interface ReloadParts {
  readonly logger: Log;
  readonly metrics: ReloadMetrics;
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
  const count = (result: "success" | "failure") => countReload(metrics, option, result);
  let loading: Promise<void> = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      await load();
      count("success");
      logger.info("reloaded a changed file", { option, file });
    } catch (error) {
      count("failure");
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

function countReload(metrics: ReloadMetrics, option: string, result: "success" | "failure"): void {
  metrics.counter("apiserver_configuration_reloads_total").inc({ option, result });
  const controller = Object.entries(CONTROLLERS).find(([name]) => name === option)?.[1];
  if (controller === undefined) return;
  const labels = { status: result, apiserver_id_hash: identityHash() };
  metrics.counter(`${controller}_automatic_reloads_total`).inc(labels);
  metrics.gauge(`${controller}_automatic_reload_last_timestamp_seconds`).set(labels, Date.now() / 1000);
}
