// Metrics that tell which version of a configuration file is in force, by its hash, so that the servers of a cluster can
// be compared. Source: staging/src/k8s.io/apiserver/pkg/server/options/configmetrics and the metrics of the
// configurations beside it; KEP-3331.
import { hash } from "node:crypto";
import { hostname } from "node:os";
import type { NamedMetrics } from "@orch/platform";

export type ConfigurationInfo =
  | "apiserver_authentication_config_controller_last_config_info"
  | "apiserver_authorization_config_controller_last_config_info"
  | "apiserver_encryption_config_controller_last_config_info";

export type ConfigurationInfoMetrics = NamedMetrics<never, ConfigurationInfo>;

/** Returns the hash by which metrics tell servers apart without their names. */
export const identityHash = (): string => hashText(hostname());

/** Returns the hash of a text that is no label itself. */
export const hashText = (text: string): string => `sha256:${hash("sha256", text, "hex")}`;

/** Records the configuration that is in force now. Its hash replaces the one of the former configuration. */
export function noteConfiguration(metrics: ConfigurationInfoMetrics, name: ConfigurationInfo, text: string): void {
  const gauge = metrics.gauge(name);
  gauge.reset();
  gauge.set({ apiserver_id_hash: identityHash(), hash: hashText(text) }, 1);
}
