// Options of exec, attach and portforward: from the client's query to the kubelet's path. Source:
// pkg/registry/core/pod/strategy.go.
import { queryBoolean } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

export type StreamKind = "exec" | "attach" | "portforward";

const STREAMS = [
  ["stdin", "input"],
  ["stdout", "output"],
  ["stderr", "error"],
  ["tty", "tty"],
] as const;

/** Returns the path of the kubelet, without a query. @param container "" for the whole pod */
export function agentPath(
  kind: StreamKind,
  of: { readonly namespace: string; readonly pod: string; readonly container: string },
  asked: URLSearchParams,
): string {
  const query = new URLSearchParams();
  if (kind === "portforward") {
    const ports = asked.getAll("ports");
    if (ports.length > 0) query.set("port", ports.join(","));
  } else {
    for (const [name, agentName] of STREAMS) if (queryBoolean(asked, name)) query.set(agentName, "1");
    if (kind === "exec") for (const word of asked.getAll("command")) query.append("command", word);
  }
  const place = [kind === "portforward" ? "portForward" : kind, of.namespace, of.pod, of.container];
  const path = place.filter((part) => part !== "").map(encodeURIComponent);
  return `/${path.join("/")}${query.size === 0 ? "" : `?${query}`}`;
}

/** Returns the options as admission receives them. */
export function streamOptions(kind: StreamKind, asked: URLSearchParams): JsonObject {
  if (kind === "portforward") return { ports: asked.getAll("ports").map(Number).filter(Number.isInteger) };
  return {
    ...Object.fromEntries(STREAMS.map(([name]) => [name, queryBoolean(asked, name)])),
    container: asked.get("container") ?? "",
    ...(kind === "exec" ? { command: asked.getAll("command") } : {}),
  };
}

/** Inverse of `streamOptions`: the query that yields these options. */
export function streamQuery(options: JsonObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name] of STREAMS) if (options[name] === true) query.set(name, "true");
  const { container, command, ports } = options;
  if (typeof container === "string" && container !== "") query.set("container", container);
  if (Array.isArray(command)) for (const word of command) query.append("command", String(word));
  if (Array.isArray(ports)) for (const port of ports) query.append("ports", String(port));
  return query;
}
