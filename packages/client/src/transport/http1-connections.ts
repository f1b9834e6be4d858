// Kept HTTP/1.1 connections for servers and proxies without HTTP/2. A separate implementation, because a short exchange
// over TLS takes 49 µs of processor time in the client, against 72 to 107 µs with undici 7 and 119 µs with node:https.
// Loading undici takes another 95 ms and 16 MiB. See docs/dependencies.md.
import { connect, type TcpSocketConnectOpts } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { type Clock, systemClock } from "@orch/platform";
import { prompt } from "./dial";
import { Http1Connection } from "./http1-connection";
import { Http1Pool } from "./http1-pool";
import { RequestWriter } from "./http1-request";
import type { NetworkAddress, TransportRequest, TransportResponse } from "./transport";

/** Maximum number of connections for short requests. All of them are kept when idle. */
const CONNECTIONS_MAX = 25;
/** Maximum number of watches, each of which holds a connection for minutes. */
const WATCHES_MAX = 1000;
const PORTS = { plain: 80, tls: 443 };

/** Receive buffer shared by all connections: a buffer of 64 KiB for each piece would cost more than its content. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

export interface Http1Options {
  /** Maximum number of parallel connections. */
  readonly connectionsMax?: number;
  /** Default: the URL's host. */
  readonly authority?: string;
  readonly clock?: Clock;
}

export class Http1Connections {
  /** Pools by address. */
  private readonly pools = new Map<string, Http1Pool>();
  private readonly watchPools = new Map<string, Http1Pool>();
  /** TLS session for resumption, which avoids most of a handshake. */
  private session: Buffer | undefined;
  private readonly host: NetworkAddress;
  private readonly hostText: string;
  private readonly writer: RequestWriter;

  /** @param tls undefined: without TLS */
  constructor(
    url: URL,
    private readonly tls: ConnectionOptions | undefined,
    private readonly options: Http1Options = {},
  ) {
    const port = Number(url.port) || (tls === undefined ? PORTS.plain : PORTS.tls);
    this.host = { host: url.hostname.replace(/^\[|\]$/g, ""), port };
    this.hostText = textOf(this.host);
    this.writer = new RequestWriter(options.authority ?? url.host);
  }

  /** Sends a request. @param at address of the server; absent: the URL's host */
  request(request: TransportRequest, at = this.host): Promise<TransportResponse> {
    try {
      return this.poolOf(at, request.isWatch).request(this.writer.pieces(request), request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Adopts an unused open connection. */
  adopt(socket: TLSSocket, at = this.host): void {
    const pool = this.poolOf(at);
    pool.adopt(new Http1Connection(socket, pool));
  }

  /** Closes idle connections now and the others after their requests. */
  drain(): void {
    for (const pool of this.all()) pool.drain();
  }

  destroy(): void {
    for (const pool of this.all()) pool.destroy();
  }

  private all(): readonly Http1Pool[] {
    return [...this.pools.values(), ...this.watchPools.values()];
  }

  private poolOf(at: NetworkAddress, isWatch = false): Http1Pool {
    const pools = isWatch ? this.watchPools : this.pools;
    const key = at === this.host ? this.hostText : textOf(at);
    let pool = pools.get(key);
    if (pool === undefined) {
      const { connectionsMax = CONNECTIONS_MAX, clock = systemClock } = this.options;
      pool = new Http1Pool({
        connectionsMax: isWatch ? WATCHES_MAX : connectionsMax,
        keptMax: isWatch ? CONNECTIONS_MAX : connectionsMax,
        clock,
        open: (of) => this.open(at, of),
        emptied: () => pools.delete(key),
      });
      pools.set(key, pool);
    }
    return pool;
  }

  private open(at: NetworkAddress, pool: Pick<Http1Pool, "idle" | "closed">): Http1Connection {
    let connection: Http1Connection | undefined;
    const onread = {
      buffer: RECEIVED,
      callback: (length: number) => {
        connection?.take(RECEIVED.subarray(0, length));
        return true;
      },
    };
    if (this.tls === undefined) {
      const socket = connect({ ...at, onread });
      prompt(socket);
      connection = new Http1Connection(socket, pool, "connect");
      return connection;
    }
    const session = this.session === undefined ? {} : { session: this.session };
    const options: Pick<TcpSocketConnectOpts, "onread"> & ConnectionOptions = {
      ...this.tls,
      ...at,
      ...session,
      ALPNProtocols: ["http/1.1"],
      onread,
    };
    const socket = connectTls(options);
    prompt(socket);
    socket.on("session", (made) => {
      this.session = made;
    });
    socket.once("error", () => {
      this.session = undefined;
    });
    connection = new Http1Connection(socket, pool, "secureConnect");
    return connection;
  }
}

const textOf = ({ host, port }: NetworkAddress): string => `${host} ${port}`;
