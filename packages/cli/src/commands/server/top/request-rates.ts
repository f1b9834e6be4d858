// Rates of requests from two looks at a server, and its clients.
import type { Client } from "@orch/client";
import { isReason, StatusError } from "@orch/machinery";
import { Metrics } from "../pages/metrics-text";
import { readText } from "../pages/page";

interface ClientFigures {
  readonly user: string;
  readonly userAgent: string;
  readonly requests: number;
  readonly seconds: number;
  /** Undefined when the server does not measure it. */
  readonly cpuSeconds?: number;
  readonly streams: number;
}

export interface Look {
  /** Milliseconds of a monotonic clock. */
  readonly atMs: number;
  /** Requests by `<verb> <resource>`. */
  readonly requests: ReadonlyMap<string, number>;
  /** Open watches and streams by resource. */
  readonly watchers: ReadonlyMap<string, number>;
  readonly errors: number;
  readonly cpuSeconds: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Undefined when the server does not tell. */
  readonly clients: readonly ClientFigures[] | undefined;
}

const REQUESTS = "apiserver_request_total";
const STREAMS = ["apiserver_longrunning_requests", "apiserver_longrunning_gauge"] as const;
const [CPU, MEMORY] = ["process_cpu_seconds_total", "process_resident_memory_bytes"] as const;
const WANTED = new Set<string>([REQUESTS, ...STREAMS, CPU, MEMORY]);
const ERRORS_FROM = 500;

/** @throws StatusError when the metrics may not be read */
export async function lookAt(client: Client, signal: AbortSignal): Promise<Look> {
  const metrics = new Metrics(await readText(client, { path: "/metrics", signal }), (name) => WANTED.has(name));
  const atMs = performance.now();
  const requests = new Map<string, number>();
  let errors = 0;
  for (const { labels, value } of metrics.of(REQUESTS)) {
    add(requests, `${labels["verb"]} ${resourceIn(labels)}`, value);
    if (Number(labels["code"]) >= ERRORS_FROM) errors += value;
  }
  const watchers = new Map<string, number>();
  for (const { labels, value } of metrics.firstOf(...STREAMS)) add(watchers, resourceIn(labels), value);
  const [cpuSeconds, memoryBytes] = [metrics.total(CPU), metrics.total(MEMORY)];
  return { atMs, requests, watchers, errors, cpuSeconds, memoryBytes, clients: await clientsOf(client) };
}

function resourceIn({ group = "", resource = "", subresource = "" }: Readonly<Record<string, string>>): string {
  if (resource === "") return "(no resource)";
  return `${resource}${group === "" ? "" : `.${group}`}${subresource === "" ? "" : `/${subresource}`}`;
}

async function clientsOf(client: Client): Promise<readonly ClientFigures[] | undefined> {
  try {
    const { clients } = (await client.getJson("/debug/clients")) as unknown as { readonly clients: ClientFigures[] };
    return clients;
  } catch (error) {
    if (error instanceof StatusError && (isReason(error, "NotFound") || isReason(error, "Forbidden"))) return undefined;
    throw error;
  }
}

function add(into: Map<string, number>, key: string, value: number): void {
  into.set(key, (into.get(key) ?? 0) + value);
}

export interface Rates {
  readonly seconds: number;
  readonly perSecond: number;
  readonly errorsPerSecond: number;
  /** Share of one processor; undefined when the server does not tell. */
  readonly cpu: number | undefined;
  /** The part of it that is measured for clients. */
  readonly cpuOfClients: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly requests: readonly { readonly request: string; readonly perSecond: number; readonly total: number }[];
  readonly watchers: readonly { readonly resource: string; readonly count: number }[];
  readonly clients: readonly ClientRate[] | undefined;
}

interface ClientRate extends ClientFigures {
  readonly perSecond: number;
  /** Time of its requests in the server, waits included, per second of time. */
  readonly busy: number;
  /** Time for which the server worked for it, as a share of one processor; undefined when the server does not measure it. */
  readonly cpu: number | undefined;
}

export function ratesBetween(first: Look, second: Look): Rates {
  const seconds = Math.max((second.atMs - first.atMs) / 1000, 0.001);
  // A counter that has become smaller is that of a server that has started again.
  const rate = (before: number, after: number) => (after >= before ? after - before : after) / seconds;
  const requests = [...second.requests].map(([request, total]) => ({
    ...{ request, total, perSecond: rate(first.requests.get(request) ?? 0, total) },
  }));
  const keyOf = ({ user, userAgent }: ClientFigures) => `${user}\n${userAgent}`;
  const before = new Map(first.clients?.map((each) => [keyOf(each), each]));
  const clients = second.clients?.map((each) => {
    const earlier = before.get(keyOf(each));
    const perSecond = rate(earlier?.requests ?? 0, each.requests);
    const ofClient = each.cpuSeconds === undefined ? undefined : rate(earlier?.cpuSeconds ?? 0, each.cpuSeconds);
    return { ...each, perSecond, busy: rate(earlier?.seconds ?? 0, each.seconds), cpu: ofClient };
  });
  const cpu =
    first.cpuSeconds === undefined || second.cpuSeconds === undefined
      ? undefined
      : rate(first.cpuSeconds, second.cpuSeconds);
  const watchers = [...second.watchers].filter(([, count]) => count > 0);
  return {
    ...{ seconds, cpu, memoryBytes: second.memoryBytes },
    cpuOfClients: clients?.reduce<number | undefined>(
      (sum, each) => (each.cpu === undefined ? sum : (sum ?? 0) + each.cpu),
      undefined,
    ),
    perSecond: requests.reduce((sum, each) => sum + each.perSecond, 0),
    errorsPerSecond: rate(first.errors, second.errors),
    requests: requests.sort((one, other) => other.perSecond - one.perSecond || other.total - one.total),
    watchers: watchers.map(([resource, count]) => ({ resource, count })).sort((one, other) => other.count - one.count),
    clients: clients?.sort((one, other) => other.perSecond - one.perSecond || other.requests - one.requests),
  };
}
