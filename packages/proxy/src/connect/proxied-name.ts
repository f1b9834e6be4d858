// Parses `[scheme:]name[:port]`, the name of a proxied object in the path. Source:
// staging/src/k8s.io/apimachinery/pkg/util/net/port_split.go.
import { badRequest } from "@orch/machinery";

export interface ProxiedName {
  readonly scheme: "" | "http" | "https";
  readonly name: string;
  /** Port number, or name of a service port; "": default port. */
  readonly port: string;
}

/**
 * @param what `pod`, `node` or `service`
 * @throws StatusError BadRequest (400)
 */
export function parseProxiedName(what: string, id: string): ProxiedName {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  const fits = parts.length <= 3 && name !== "" && (scheme === "" || scheme === "http" || scheme === "https");
  if (!fits) throw invalidRequest(what, id);
  return { scheme, name, port };
}

export const invalidRequest = (what: string, id: string) => badRequest(`invalid ${what} request ${JSON.stringify(id)}`);

/** @returns undefined when the text is not a port number */
export function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= 65535 ? port : undefined;
}
