// Forwards requests for resources that this server does not serve to an API server of another release that does.
// Source: staging/src/k8s.io/apiserver/pkg/util/peerproxy/peerproxy_handler.go; Kubernetes KEP-4020.
import { lookup } from "node:dns";
import { createSecureContext } from "node:tls";
import type { ClientPair, ExtensionServer, RemoteRegistration, TrustedHeaders } from "@orch/extensions";
import { serviceUnavailable } from "@orch/machinery";
import { type Dialer, errorFields, keepingAgent, type Log, LongWaits, systemClock } from "@orch/platform";
import type { ApiRequest, ApiResponse, RemoteRequest } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { passToServer, type RemoteRequestDeps } from "../aggregation/remote-request";
import { type DiscoveredPeer, discoverPeer, peerResource } from "./peer-discovery";
import { isBuiltIn, type PeerGroup } from "./peer-groups";

export interface PeerAddress {
  /** Name of the server. */
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** Changes when the server is started again. */
  readonly mark: string;
}

export interface PeerProxyDeps {
  readonly vocabulary: Vocabulary;
  /** Returns the other live servers. */
  readonly peers: () => Promise<readonly PeerAddress[]>;
  /** PEM of the authorities of the servers' certificates (`--peer-ca-file`). */
  readonly ca: () => string;
  /** Certificate that identifies this server (`--proxy-client-cert-file`). */
  readonly clientPair: () => ClientPair;
  readonly trusted: () => TrustedHeaders;
  /** Opens connections to the servers. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
  readonly log: Log;
  /** Called with the status code of each forwarded request. */
  readonly forwarded: (code: number, info: PeerTarget) => void;
  readonly failed: (info: PeerTarget) => void;
  readonly discoveryFailed: (type: "lease_list" | "fetch_discovery") => void;
}

export type PeerTarget = Pick<RemoteRequest, "group" | "version" | "resource">;

interface Peer extends DiscoveredPeer {
  readonly address: PeerAddress;
  readonly server: ExtensionServer;
}

const ROUND_MS = 10_000;
const HEAD_MS = 60_000;
const IDLE_MS = 4_000;

export class PeerProxy {
  /** Built-in groups of each other server; the same list while they are unchanged. */
  groups: readonly (readonly PeerGroup[])[] = [];
  private peers: ReadonlyMap<string, Peer> = new Map();
  private readonly end = new AbortController();
  private readonly passing: RemoteRequestDeps;
  /** Marks a request that a server has forwarded. No server forwards it again. */
  private readonly forwarded: readonly string[];
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;

  constructor(private readonly deps: PeerProxyDeps) {
    this.forwarded = [deps.vocabulary.headers.peerProxied, "true"];
    this.passing = {
      vocabulary: deps.vocabulary,
      trusted: deps.trusted,
      servers: { of: (registration) => this.serverOf(registration) },
      isAvailable: () => true,
      rejectsRedirects: true,
      waits: new LongWaits(systemClock),
      passed() {},
    };
  }

  /** Resolves after the first round. */
  start(): Promise<void> {
    this.timer ??= setInterval(() => void this.look(), ROUND_MS).unref();
    return this.look();
  }

  stop(): void {
    clearInterval(this.timer);
    this.end.abort(new Error("the server is stopping"));
    for (const { server } of this.peers.values()) server.agent.destroy();
  }

  /** Returns a server that serves the resource, chosen at random; undefined when there is none. */
  peerOf({ group, version, resource }: PeerTarget): RemoteRegistration | undefined {
    const key = peerResource(group, version, resource);
    const able = [...this.peers.values()].filter(({ resources }) => resources.has(key));
    const chosen = able[Math.floor(Math.random() * able.length)];
    return chosen && registrationOf(chosen.address, { group, version });
  }

  async answer(request: ApiRequest, response: ApiResponse, info: RemoteRequest): Promise<void> {
    response.once("close", () => this.deps.forwarded(response.statusCode, info));
    const { registration, path, search } = info;
    const target = { registration, path: path + search, headTimeoutMs: HEAD_MS, headers: this.forwarded };
    await passToServer(this.passing, { request, response }, target).catch((error: unknown) => {
      this.deps.failed(info);
      throw error;
    });
  }

  private async serverOf({ name }: RemoteRegistration): Promise<ExtensionServer> {
    const peer = this.peers.get(name);
    if (peer === undefined)
      throw serviceUnavailable("the API server that serves the requested resource is not reachable");
    return peer.server;
  }

  private look(): Promise<void> {
    this.round ??= this.update().finally(() => {
      this.round = undefined;
    });
    return this.round;
  }

  private async update(): Promise<void> {
    const { deps } = this;
    let live: readonly PeerAddress[];
    try {
      live = await deps.peers();
    } catch (error) {
      deps.discoveryFailed("lease_list");
      deps.log.warn("cannot list the other API servers", errorFields(error));
      return;
    }
    const next = new Map<string, Peer>();
    await Promise.all(
      live.map(async (address) => {
        const known = this.peers.get(address.id);
        const peer = known?.address.mark === address.mark ? known : await this.discovered(address);
        if (peer !== undefined) next.set(address.id, peer);
      }),
    );
    for (const [id, { server }] of this.peers) if (next.get(id)?.server !== server) server.agent.destroy();
    const isChanged = next.size !== this.peers.size || [...next].some(([id, peer]) => this.peers.get(id) !== peer);
    this.peers = next;
    if (isChanged) this.groups = [...next.values()].map(({ groups }) => groups);
  }

  private async discovered(address: PeerAddress): Promise<Peer | undefined> {
    const { deps, end } = this;
    try {
      const server = this.open(address);
      const found = await discoverPeer(server, { headers: this.forwarded, signal: end.signal });
      const groups = found.groups.filter(({ name }) => isBuiltIn(deps.vocabulary, name));
      return { address, server, resources: found.resources, groups };
    } catch (error) {
      if (end.signal.aborted) return undefined;
      deps.discoveryFailed("fetch_discovery");
      deps.log.warn("cannot read what another API server serves", { server: address.id, ...errorFields(error) });
      return undefined;
    }
  }

  private open({ host, port }: PeerAddress): ExtensionServer {
    const { vocabulary, ca, clientPair, dialer } = this.deps;
    return {
      ...{ host, port, lookup },
      tls: {
        servername: `${vocabulary.objectNames.product}.default.svc`,
        rejectUnauthorized: true,
        secureContext: createSecureContext({ ca: ca(), allowPartialTrustChain: true, ...clientPair() }),
      },
      agent: keepingAgent({ keepAlive: true, timeout: IDLE_MS }, dialer),
      dialer,
    };
  }
}

const registrationOf = (
  { id, mark, port }: PeerAddress,
  { group, version }: Pick<PeerTarget, "group" | "version">,
): RemoteRegistration => ({
  ...{ name: id, uid: mark, group, version, groupPriority: 0, versionPriority: 0 },
  ...{ automation: undefined, condition: undefined },
  backend: { service: { namespace: "", name: id, port }, ca: "", verified: true },
});
