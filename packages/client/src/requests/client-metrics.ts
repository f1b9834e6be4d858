// Metrics of a client's requests, as in the `rest_client_…` metrics of Kubernetes.
import type { PluginMetrics } from "../connection/plugin-metrics";

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
