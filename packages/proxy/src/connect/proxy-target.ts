// Resolves the targets of proxied requests: pods, services and nodes. Source: pkg/registry/core/pod/strategy.go,
// pkg/registry/core/service/storage/rest.go, pkg/registry/core/node/strategy.go.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type DialGuard, literalRefusal } from "@orch/extensions";
import { badRequest, serviceUnavailable } from "@orch/machinery";
import { addressClass, type Dialer } from "@orch/platform";
import { type Backend, CONNECT_TIMEOUT_MS, UNVERIFIED } from "./backend";
import type { NodeAgents } from "./node-agent";
import { invalidRequest, type ProxiedName, parseProxiedName, portNumber } from "./proxied-name";
import type { EndpointAddress, PodView, TargetObjects } from "./target-objects";

export interface ProxyDeps {
  readonly objects: TargetObjects;
  readonly agents: NodeAgents;
  readonly guard: DialGuard;
  /** Opens connections to pods, services and nodes, and resolves host names. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
  /** Random number in [0, 1). */
  random(): number;
}

/** Target resolvers by resource. @throws StatusError 400, 404, 503 */
export const PROXY_TARGETS: Readonly<
  Record<string, (deps: ProxyDeps, id: string, namespace: string) => Promise<Backend>>
> = { pods: podTarget, services: serviceTarget, nodes: nodeTarget };

async function podTarget({ objects, ...deps }: ProxyDeps, id: string, namespace: string): Promise<Backend> {
  const { scheme, name, port } = parseProxiedName("pod", id);
  if (port !== "" && portNumber(port) === undefined) throw invalidRequest("pod", id);
  const pod = await objects.pod({ namespace, name });
  const declared = pod.spec.containers.find(({ ports }) => ports?.[0] !== undefined)?.ports?.[0]?.containerPort;
  const [ip = ""] = ipsOf(pod);
  if (!isRoutable(ip)) throw badRequest("address not allowed");
  return permitted(deps, backendOf(scheme, { host: ip, port: portNumber(port) ?? declared }));
}

/**
 * Chooses a ready endpoint that is a pod of the service's namespace at that address; other addresses cannot be reached
 * this way.
 */
async function serviceTarget(deps: ProxyDeps, id: string, namespace: string): Promise<Backend> {
  const { objects, random } = deps;
  const { scheme, name, port } = parseProxiedName("service", id);
  const key = { namespace, name };
  const portName = /^\d+$/.test(port) ? await servicePortName(objects, key, Number(port)) : port;
  const { subsets = [] } = await objects.endpoints(key);
  for (const { addresses = [], ports = [] } of shuffled(subsets, random)) {
    const found = ports.find((each) => (each.name ?? "") === portName);
    if (found === undefined) continue;
    for (const address of shuffled(addresses, random)) {
      if (!(await isPodAt(objects, address, namespace))) continue;
      return permitted(deps, backendOf(scheme, { host: address.ip, port: found.port }));
    }
  }
  throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(subsets.length === 0 ? name : id)}`);
}

async function servicePortName(
  objects: TargetObjects,
  key: { readonly namespace: string; readonly name: string },
  port: number,
): Promise<string> {
  const { spec } = await objects.service(key);
  const found = spec?.ports?.find((each) => each.port === port);
  if (found !== undefined) return found.name ?? "";
  throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(key.name)}`);
}

async function isPodAt(objects: TargetObjects, { ip, targetRef }: EndpointAddress, namespace: string) {
  if (!isRoutable(ip) || targetRef?.name === undefined || targetRef.namespace !== namespace) return false;
  const pod = await objects.podIfAny({ namespace, name: targetRef.name });
  return pod !== undefined && ipsOf(pod).includes(ip);
}

/** The node's kubelet, or another port of the node, which gets no credentials of this server. */
async function nodeTarget({ agents, ...deps }: ProxyDeps, id: string): Promise<Backend> {
  const asked = parseProxiedName("node", id);
  const port = portNumber(asked.port);
  if (asked.port !== "" && port === undefined) throw invalidRequest("node", id);
  const agent = await agents.of(asked.name);
  if (port === undefined || port === agent.port) return agent;
  const host = deps.dialer !== undefined && isIP(agent.host) === 0 ? agent.host : await routableAddress(agent.host);
  return permitted(deps, backendOf(asked.scheme, { host, port }));
}

/** @throws StatusError BadRequest (400) for an address that the guard refuses */
async function permitted({ guard, dialer }: Pick<ProxyDeps, "guard" | "dialer">, backend: Backend): Promise<Backend> {
  const reason = await literalRefusal(guard, backend);
  if (reason !== undefined) throw badRequest(`address not allowed: ${reason}`);
  return { ...backend, dialer };
}

function backendOf(
  scheme: ProxiedName["scheme"],
  at: { readonly host: string; readonly port: number | undefined },
): Backend {
  const secure = scheme === "https";
  return {
    scheme: secure ? "https" : "http",
    host: at.host,
    port: at.port ?? (secure ? 443 : 80),
    tls: UNVERIFIED,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  };
}

function ipsOf({ status }: PodView): readonly string[] {
  const listed = (status?.podIPs ?? []).flatMap(({ ip }) => ip || []);
  return listed.length > 0 ? listed : status?.podIP ? [status.podIP] : [];
}

/** Whether an address can belong to another machine: loopback and link-local addresses cannot, in any notation. */
export const isRoutable = (ip: string): boolean => addressClass(ip) === "unicast";

/** Resolves the name once; the connection uses the address, so that the name cannot change in between. */
async function routableAddress(host: string): Promise<string> {
  const addresses = isIP(host) ? [host] : await addressesOf(host);
  if (!addresses.every(isRoutable)) throw badRequest("address not allowed");
  const [first] = addresses;
  if (first === undefined) throw serviceUnavailable(`error trying to reach service: ${host} has no address`);
  return first;
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw serviceUnavailable(`error trying to reach service: ${(error as Error).message}`);
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const start = Math.floor(random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}
