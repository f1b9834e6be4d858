// Outgoing connections by the network of their destination. Source: Kubernetes KEP-1281.
import type { Agent, RequestOptions } from "node:https";
import { Agent as SecureAgent } from "node:https";
import type { Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";

/** Networks of destinations, named as in an EgressSelectorConfiguration. */
export const EGRESS_NETWORKS = ["controlplane", "etcd", "cluster"] as const;
export type EgressNetwork = (typeof EGRESS_NETWORKS)[number];

export interface DialTarget {
  /** Host name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Opens connections through a proxy, which resolves host names. */
export interface Dialer {
  /**
   * Resolves with a connection to the target that has received nothing yet.
   * @throws EgressError that names the proxy and the target
   */
  dial(target: DialTarget): Promise<Socket>;
}

/** No connection through the proxy: the target has received nothing. */
export class EgressError extends Error {
  override readonly name = "EgressError";

  /** @param code `EPROXYREFUSED`: the proxy refuses the client or the target, and would refuse another try */
  constructor(
    message: string,
    readonly code: "EEGRESS" | "EPROXYREFUSED" = "EEGRESS",
  ) {
    super(message);
  }
}

export class EgressSelector {
  /** @param dialers undefined as a value: the network is configured, and connected to directly */
  constructor(private readonly dialers: ReadonlyMap<EgressNetwork, Dialer | undefined> = new Map()) {}

  /** Returns the dialer of a network; undefined: connections are direct. */
  dialer(network: EgressNetwork): Dialer | undefined {
    return this.dialers.get(network);
  }

  isConfigured(network: EgressNetwork): boolean {
    return this.dialers.has(network);
  }
}

type Created = (error: Error | null, socket: Socket) => void;

/** Returns `createConnection` of a request of node:http, or of node:https when `isSecure` is true. */
export function connectThrough(dialer: Dialer, isSecure: boolean) {
  return (options: object, created: Created): undefined => {
    const { host, port } = options as { readonly host: string; readonly port: number };
    dialer.dial({ host, port: Number(port) }).then(
      (socket) => created(null, isSecure ? secured(socket, options) : socket),
      // node:http does not use the connection of a failed call.
      (error: Error) => created(error, undefined as unknown as Socket),
    );
  };
}

/** Starts TLS on an open connection. */
export function secured(socket: Socket, options: ConnectionOptions): ReturnType<typeof connectTls> {
  return connectTls({ ...options, socket });
}

/** Returns an agent that keeps connections. @param dialer undefined: they are direct */
export function keepingAgent(options: ConstructorParameters<typeof Agent>[0], dialer: Dialer | undefined): Agent {
  const agent = new SecureAgent(options);
  if (dialer === undefined) return agent;
  const connect = connectThrough(dialer, true);
  return Object.assign(agent, {
    createConnection: (asked: RequestOptions, created: Created) => connect(asked, created),
  });
}
