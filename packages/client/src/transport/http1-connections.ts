// Kept-alive HTTP/1.1 connections: for servers and proxies that do not speak HTTP/2.
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { stopWith } from "./stop-with";
import { ConnectionError, type NetworkAddress, type TransportRequest, type TransportResponse } from "./transport";

/** For requests that end soon; when idle, all of them are kept, so that none is opened for one request alone. */
const CONNECTIONS_MAX = 25;
/** Each watch holds a connection for minutes. */
const WATCHES_MAX = 1000;
const IDLE_MAX_MS = 90_000;

export interface Http1Options {
  /** How many at a time. */
  readonly connectionsMax?: number;
  /** Default: the URL's host. */
  readonly authority?: string;
}

export class Http1Connections {
  private readonly agent: HttpAgent;
  private readonly watchAgent: HttpAgent;
  private readonly isPlain: boolean;

  /** @param tls undefined: without TLS */
  constructor(
    private readonly url: URL,
    tls: object | undefined,
    private readonly options: Http1Options = {},
  ) {
    const { connectionsMax = CONNECTIONS_MAX } = options;
    const shared = { keepAlive: true, timeout: IDLE_MAX_MS, ...tls };
    this.isPlain = tls === undefined;
    const Agent = this.isPlain ? HttpAgent : HttpsAgent;
    this.agent = new Agent({ ...shared, maxSockets: connectionsMax, maxFreeSockets: connectionsMax });
    this.watchAgent = new Agent({ ...shared, maxSockets: WATCHES_MAX, maxFreeSockets: CONNECTIONS_MAX });
  }

  /** @param at where the server is; absent: at its URL's host */
  request(
    { method, path, headers, body, signal, isWatch }: TransportRequest,
    at?: NetworkAddress,
  ): Promise<TransportResponse> {
    const { authority = this.url.host } = this.options;
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const options: RequestOptions = {
      method,
      path,
      host: at?.host ?? this.url.hostname.replace(/^\[|\]$/g, ""),
      port: at?.port ?? (this.url.port || (this.isPlain ? 80 : 443)),
      agent: isWatch === true ? this.watchAgent : this.agent,
      headers: { host: authority, ...headers, ...length },
    };
    return new Promise((resolve, reject) => {
      const sent = (this.isPlain ? httpRequest : httpsRequest)(options);
      sent.once("response", (body) => {
        body.on("error", () => {}); // told to whoever reads it; nobody may be reading any more
        resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
      });
      stopWith(signal, sent);
      sent.on("error", (cause: NodeJS.ErrnoException) => {
        if (signal.aborted) reject(signal.reason);
        else reject(failure(cause, sent.reusedSocket));
      });
      sent.end(body);
    });
  }

  /** Idle connections go now, the others when their request has ended. */
  drain(): void {
    for (const agent of [this.agent, this.watchAgent]) {
      agent.maxFreeSockets = 0;
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }

  destroy(): void {
    this.agent.destroy();
    this.watchAgent.destroy();
  }
}

const NEVER_CONNECTED: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH"]);

function failure(cause: NodeJS.ErrnoException, reused: boolean): ConnectionError {
  const where = reused ? "on a kept connection" : "on a new connection";
  return new ConnectionError(`the request failed ${where}: ${cause.message}`, {
    cause,
    notProcessed: NEVER_CONNECTED.has(cause.code),
    onKeptConnection: reused,
  });
}
