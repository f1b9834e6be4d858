// Kept HTTP/1.1 connections for servers and proxies without HTTP/2. A separate implementation, because a short exchange
// over TLS takes 49 µs of processor time in the client, against 72 to 107 µs with undici 7 and 119 µs with node:https.
// Loading undici takes another 95 ms and 16 MiB. See docs/dependencies.md.
import { connect, type Socket, type TcpSocketConnectOpts } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { type Clock, type Dialer, secured, systemClock } from "@orch/platform";
import { prompt } from "./dial";
import { Http1Connection } from "./http1-connection";
import { Http1Pool } from "./http1-pool";
import { RequestWriter } from "./http1-request";
import type { NetworkAddress, TransportRequest, TransportResponse } from "./transport";

/** Maximum number of connections for short requests. All of them are kept when idle. */
const CONNECTIONS_MAX = 25;
/** Maximum number of watches, each of which holds a connection for minutes. */
const WATCHES_MAX = 1000;
/** Timeout of a TLS handshake through a proxy. */
const HANDSHAKE_TIMEOUT_MS = 30_000;
const NO_HANDSHAKE = `the TLS handshake did not end within ${HANDSHAKE_TIMEOUT_MS} ms`;
const PORTS = { plain: 80, tls: 443 };

/** Receive buffer shared by all connections: a buffer of 64 KiB for each piece would cost more than its content. */
const RECEIVED = Buffer.allocUnsafeSlow(64 * 1024);

export interface Http1Options {
  /** Maximum number of parallel connections. */
  readonly connectionsMax?: number;
  /** Default: the URL's host. */
  readonly authority?: string;
  readonly clock?: Clock;
  /** Opens the connections below TLS. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
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
    const { dialer } = this.options;
    if (dialer !== undefined) return new Http1Connection(this.through(dialer, at), pool);
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
    const options: Pick<TcpSocketConnectOpts, "onread"> & ConnectionOptions = {
      ...this.tls,
      ...at,
      ...this.resumption(),
      onread,
    };
    const socket = this.resumable(connectTls(options));
    prompt(socket);
    connection = new Http1Connection(socket, pool, "secureConnect");
    return connection;
  }

  private async through(dialer: Dialer, at: NetworkAddress): Promise<Socket> {
    const tunnel = await dialer.dial(at);
    if (this.tls === undefined) return tunnel;
    const socket = this.resumable(secured(tunnel, { host: at.host, ...this.tls, ...this.resumption() }));
    const late = setTimeout(() => socket.destroy(new Error(NO_HANDSHAKE)), HANDSHAKE_TIMEOUT_MS);
    try {
      return await new Promise((resolve, reject) => {
        socket.once("secureConnect", () => resolve(socket));
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("the connection was closed before the end of the TLS handshake")));
      });
    } finally {
      clearTimeout(late);
    }
  }

  private resumption(): ConnectionOptions {
    return { ...(this.session && { session: this.session }), ALPNProtocols: ["http/1.1"] };
  }

  private resumable(socket: TLSSocket): TLSSocket {
    socket.on("session", (made) => {
      this.session = made;
    });
    socket.once("error", () => {
      this.session = undefined;
    });
    return socket;
  }
}

const textOf = ({ host, port }: NetworkAddress): string => `${host} ${port}`;
