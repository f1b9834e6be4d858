// Where proxied requests go: what the name in the path means for pods, services and nodes.
// Source: facts, apiserver-hooks.md "Connect sub-resources"; strategy.json, proxy of pods, services and nodes.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { badRequest, serviceUnavailable } from "@orch/machinery";
import { type Backend, CONNECT_TIMEOUT_MS, UNVERIFIED } from "./backend";
import type { NodeAgents } from "./node-agent";
import { invalidRequest, type ProxiedName, parseProxiedName, portNumber } from "./proxied-name";
import type { EndpointAddress, PodView, TargetObjects } from "./target-objects";

export interface ProxyDeps {
  readonly objects: TargetObjects;
  readonly agents: NodeAgents;
  /** From 0 to below 1. */
  random(): number;
}

/** Resource to what its name in the path leads to. @throws StatusError 400, 404, 503 */
export const PROXY_TARGETS: Readonly<
  Record<string, (deps: ProxyDeps, id: string, namespace: string) => Promise<Backend>>
> = { pods: podTarget, services: serviceTarget, nodes: nodeTarget };

async function podTarget({ objects }: ProxyDeps, id: string, namespace: string): Promise<Backend> {
  const { scheme, name, port } = parseProxiedName("pod", id);
  if (port !== "" && portNumber(port) === undefined) throw invalidRequest("pod", id);
  const pod = await objects.pod({ namespace, name });
  const declared = pod.spec.containers.find(({ ports }) => ports?.[0] !== undefined)?.ports?.[0]?.containerPort;
  const [ip = ""] = ipsOf(pod);
  if (!isRoutable(ip)) throw badRequest("address not allowed");
  return backendOf(scheme, { host: ip, port: portNumber(port) ?? declared });
}

/** Any endpoint that is ready, and that is a pod of the service's own namespace at that address: nothing else can be reached this way. */
async function serviceTarget({ objects, random }: ProxyDeps, id: string, namespace: string): Promise<Backend> {
  const { scheme, name, port } = parseProxiedName("service", id);
  const key = { namespace, name };
  const portName = /^\d+$/.test(port) ? await servicePortName(objects, key, Number(port)) : port;
  const { subsets = [] } = await objects.endpoints(key);
  for (const { addresses = [], ports = [] } of shuffled(subsets, random)) {
    const found = ports.find((each) => (each.name ?? "") === portName);
    if (found === undefined) continue;
    for (const address of shuffled(addresses, random)) {
      if (!(await isPodAt(objects, address, namespace))) continue;
      return backendOf(scheme, { host: address.ip, port: found.port });
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

/** The node's agent, or another port of the machine, which gets no credentials of this server. */
async function nodeTarget({ agents }: ProxyDeps, id: string): Promise<Backend> {
  const asked = parseProxiedName("node", id);
  const port = portNumber(asked.port);
  if (asked.port !== "" && port === undefined) throw invalidRequest("node", id);
  const agent = await agents.of(asked.name);
  if (port === undefined || port === agent.port) return agent;
  return backendOf(asked.scheme, { host: await routableAddress(agent.host), port });
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

/** Addresses that mean this server's own machine, or no single machine. */
const UNROUTABLE = new BlockList();
UNROUTABLE.addSubnet("0.0.0.0", 32, "ipv4");
UNROUTABLE.addSubnet("127.0.0.0", 8, "ipv4");
UNROUTABLE.addSubnet("169.254.0.0", 16, "ipv4");
UNROUTABLE.addSubnet("224.0.0.0", 4, "ipv4");
UNROUTABLE.addAddress("255.255.255.255", "ipv4");
UNROUTABLE.addAddress("::", "ipv6");
UNROUTABLE.addAddress("::1", "ipv6");
UNROUTABLE.addSubnet("fe80::", 10, "ipv6");
UNROUTABLE.addSubnet("ff00::", 8, "ipv6");

export function isRoutable(ip: string): boolean {
  const family = isIP(ip);
  return family !== 0 && !UNROUTABLE.check(ip, family === 4 ? "ipv4" : "ipv6");
}

/** The address itself is used afterwards, so that the name cannot mean another one by then. */
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
