// Ports of `port-forward`: `8080:80`, `80`, `:80`, and names of ports of a pod or a service. Source:
// kubectl/pkg/cmd/portforward/portforward.go.
import { isObject, type JsonObject } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { name } from "./find-pods";

export interface PortPair {
  /** 0: a free port. */
  readonly local: number | "same";
  /** Number or name. */
  readonly remote: string;
}

const PORT_MAX = 65_535;

/** @throws CliError for a text that names no ports */
export function portPairs(words: readonly string[]): readonly PortPair[] {
  return words.map((word) => {
    const [first = "", second, ...rest] = word.split(":");
    if (rest.length > 0 || second === "" || (second === undefined && first === "")) throw wrong(word);
    if (second === undefined) return { local: "same", remote: first };
    if (first === "") return { local: 0, remote: second };
    const local = Number(first);
    if (!/^\d+$/.test(first) || local > PORT_MAX) throw wrong(word);
    return { local, remote: second };
  });
}

const wrong = (word: string) =>
  new CliError(
    `${JSON.stringify(word)} is no port: use LOCAL:REMOTE, REMOTE or :REMOTE, with numbers up to ${PORT_MAX} or names`,
  );

/**
 * Returns the port of the pod.
 * @param service the service that the ports belong to, if one was named
 */
export function remotePort(remote: string, pod: JsonObject, service: JsonObject | undefined): number {
  const found = service === undefined ? remote : targetPort(remote, service);
  const number = Number(found);
  if (/^\d+$/.test(found)) {
    if (number > 0 && number <= PORT_MAX) return number;
    throw wrong(remote);
  }
  const { spec } = pod;
  const containers = isObject(spec) && Array.isArray(spec["containers"]) ? spec["containers"].filter(isObject) : [];
  const ports = containers.flatMap(({ ports: of }) => (Array.isArray(of) ? of.filter(isObject) : []));
  const own = ports.find((port) => port["name"] === found);
  if (own !== undefined) return Number(own["containerPort"]);
  throw new CliError(`pod ${name(pod)} does not have a named port ${JSON.stringify(found)}`);
}

/** Returns the port of the pods behind a port of the service. */
function targetPort(remote: string, service: JsonObject): string {
  const { spec } = service;
  const ports = isObject(spec) && Array.isArray(spec["ports"]) ? spec["ports"].filter(isObject) : [];
  const found = ports.find((port) => port["name"] === remote || String(port["port"]) === remote);
  if (found === undefined) throw new CliError(`service ${name(service)} does not have a service port ${remote}`);
  // A service without cluster IP leads to the pods directly.
  if (isObject(spec) && spec["clusterIP"] === "None" && /^\d+$/.test(remote)) return remote;
  return String(found["targetPort"] ?? found["port"]);
}
