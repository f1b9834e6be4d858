// Metrics of a client's requests, as in the `rest_client_…` metrics of Kubernetes.

export interface RequestPlace {
  readonly method: string;
  /** Host of the server with its port. */
  readonly host: string;
  /** URL without query, with `{namespace}` and `{name}` as placeholders. */
  readonly url: string;
}

export interface ClientMetrics {
  /**
   * Called when an attempt was answered or failed.
   * @param code code of the response; `<error>` without a response
   * @param path path and query as they were sent; unbounded, for logs
   */
  tried(place: RequestPlace, code: string, seconds: number, path: string): void;
  /** Called when the client's own rate limit delayed an attempt. */
  heldBack(place: RequestPlace, seconds: number): void;
  /** Receives what happens with credential plugins. */
  readonly plugins?: PluginMetrics;
}

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

export const NO_ANSWER = "<error>";

/** Returns the metric labels of a request. @param path path below the server's URL, with its query */
export function placeOf(origin: URL, method: string, path: string): RequestPlace {
  const [bare = ""] = path.split("?", 1);
  return { method, host: origin.host, url: `${origin.protocol}//${origin.host}${template(bare)}` };
}

function template(path: string): string {
  const parts = path.split("/");
  // "", "api", version or "", "apis", group, version; the rest are names
  let at = parts[1] === "api" ? 3 : parts[1] === "apis" ? 4 : parts.length;
  if (parts[at] === "namespaces" && at + 1 < parts.length) {
    const isNamespaceItself = at + 2 >= parts.length;
    parts[at + 1] = isNamespaceItself ? "{name}" : "{namespace}";
    if (isNamespaceItself) return parts.join("/");
    at += 2;
  }
  if (at + 1 < parts.length) parts[at + 1] = "{name}";
  return parts.join("/");
}
