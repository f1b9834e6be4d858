// Network address of a backend, and requests to it.
import { type ClientRequest, type RequestOptions, request as requestPlain } from "node:http";
import { type Agent, request as requestSecure } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { connectThrough, type Dialer } from "@orch/platform";

export interface Backend {
  readonly scheme: "http" | "https";
  /** Host name or address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Resolver for a host name. Absent: the host is an address. */
  readonly lookup?: LookupFunction;
  readonly tls: BackendTls;
  /** Timeout for connecting, including the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Agent whose connections are reused. Absent: each request has its own connection. */
  readonly agent?: Agent;
  /** Opens connections to the backend. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
}

export type BackendTls = Pick<
  ConnectionOptions,
  "ca" | "allowPartialTrustChain" | "cert" | "key" | "rejectUnauthorized" | "servername" | "secureContext"
>;

/** The certificates of pods come from unknown authorities, so no credentials are sent to them. */
export const UNVERIFIED: BackendTls = { rejectUnauthorized: false };

/** Timeout for backends other than kubelets. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** TCP keep-alive detects a dead peer for every protocol. */
const TCP_KEEP_ALIVE_MS = 30_000;

export interface BackendRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** Raw list of names and values. */
  readonly headers: readonly string[];
}

/** Opens a request; it is sent when its end is written. Fails with an Error when connecting takes too long. */
export function openRequest(backend: Backend, { method, path, headers }: BackendRequest): ClientRequest {
  const { scheme, host, port, lookup, agent, dialer } = backend;
  const named = lookup && { lookup };
  const connecting =
    agent === undefined && dialer !== undefined
      ? { createConnection: connectThrough(dialer, scheme === "https") }
      : { agent: agent ?? false };
  const options: RequestOptions = { host, port, method, path, headers: headers as string[], ...connecting, ...named };
  const request = scheme === "http" ? requestPlain(options) : requestSecure({ ...options, ...backend.tls });
  request.setNoDelay(true);
  request.once("socket", (socket: Socket) => boundConnecting(request, socket, backend));
  return request;
}

export const hostText = ({ host, port }: Pick<Backend, "host" | "port">): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

function boundConnecting(request: ClientRequest, socket: Socket, backend: Backend): void {
  if (request.reusedSocket) return;
  const bound = setTimeout(() => {
    request.destroy(new Error(`connecting to ${hostText(backend)} took longer than ${backend.connectTimeoutMs} ms`));
  }, backend.connectTimeoutMs);
  const connected = () => {
    clearTimeout(bound);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  };
  // A proxy has connected already.
  if (backend.scheme === "http" && !socket.connecting) connected();
  else socket.once(backend.scheme === "https" ? "secureConnect" : "connect", connected);
  socket.once("close", () => clearTimeout(bound));
}
