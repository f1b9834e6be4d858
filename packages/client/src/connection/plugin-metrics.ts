// Reports of a client about credential plugins, as in the `rest_client_exec_plugin_…` metrics of Kubernetes.

/**
 * Metrics of credential plugins. Source: staging/src/k8s.io/client-go/tools/metrics/metrics.go.
 */
export interface PluginMetrics {
  /** Called when the policy has allowed or denied a plugin. */
  judged(verdict: "allowed" | "denied"): void;
  /** Called after each call. @param code exit code of the plugin; 0 only after success */
  called(status: PluginCallStatus, code: number): void;
  /** Called when the first end of validity of all certificates of plugins changes. @param atMs since 1970; undefined: there are none */
  expires(atMs: number | undefined): void;
  /** Called when a certificate was replaced. @param seconds its age */
  rotated(seconds: number): void;
}

export type PluginCallStatus =
  | "no_error"
  | "plugin_execution_error"
  | "plugin_not_found_error"
  | "client_internal_error";
