// Where a connection leads to on the network, and a request to it.
import { type ClientRequest, type RequestOptions, request as requestPlain } from "node:http";
import { type Agent, request as requestSecure } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";

export interface Backend {
  readonly scheme: "http" | "https";
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Resolves a host that is a name. Absent: the host is an address. */
  readonly lookup?: LookupFunction;
  readonly tls: BackendTls;
  /** Bound of connecting, the TLS handshake included. */
  readonly connectTimeoutMs: number;
  /** Whose connections are used again. Absent: each request has one of its own. */
  readonly agent?: Agent;
}

export type BackendTls = Pick<
  ConnectionOptions,
  "ca" | "cert" | "key" | "rejectUnauthorized" | "servername" | "secureContext"
>;

/** Nobody knows the authorities behind the certificates of pods, so nothing is sent to them that proves who the server is. */
export const UNVERIFIED: BackendTls = { rejectUnauthorized: false };

/** For backends that are no node agents. */
export const CONNECT_TIMEOUT_MS = 10_000;
/** A dead peer is noticed by the kernel, whatever the protocol above. */
const TCP_KEEP_ALIVE_MS = 30_000;

export interface BackendRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn, as they are written. */
  readonly headers: readonly string[];
}

/** Not sent before its end is written. Fails with an Error when connecting takes too long. */
export function openRequest(backend: Backend, { method, path, headers }: BackendRequest): ClientRequest {
  const { scheme, host, port, lookup, agent = false } = backend;
  const named = lookup && { lookup };
  const options: RequestOptions = { host, port, method, path, headers: headers as string[], agent, ...named };
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
  socket.once(backend.scheme === "https" ? "secureConnect" : "connect", connected);
  socket.once("close", () => clearTimeout(bound));
}
