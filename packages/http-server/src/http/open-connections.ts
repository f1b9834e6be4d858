// All connections: their maximum number, and the time for which an unused one may stay. A new connection is accepted as
// long as another one can be closed for it: the oldest one without an authenticated request, or else the one that has
// been idle for longest.
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest, ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { type ClosedFor, Connection } from "./connection";

interface ConnectionBounds {
  /** Maximum number of connections. */
  readonly max: number;
  /** Maximum number of connections per address; 0: no limit. */
  readonly maxPerAddress: number;
  /** Maximum number of concurrent requests per connection, all of which it may reset at once. */
  readonly maxStreams: number;
  /** Idle timeout, after the end of a request. */
  readonly idleMs: number;
}

export interface OpenConnectionsDeps extends ConnectionBounds {
  now(): number;
  closed(why: ClosedFor): void;
}

/** Connections beyond the limit, for health checks. */
export const SURPLUS_MAX = 16;
/** Number of successive requests that a client may reset, whatever its concurrency limit. */
const ABANDONED_AT_ONCE = 250;
const SWEEP_MS = 1000;
/** Certificates checked per turn: each check creates the certificate object anew. */
const LOOKS_PER_TURN = 20;
/** Backstops of Node's own timeouts. */
const HANDSHAKE_MS = 15_000;
const FIRST_REQUEST_MS = 20_000;
/** HTTP/1.1 connections are answered 408 before. */
const FIRST_REQUEST_HTTP1_MS = 30_000;
/** Timeout for the other side to close. */
const ENDING_MS = 5_000;
/** An unauthenticated request that takes longer no longer protects its connection. */
const UNAUTHENTICATED_REQUEST_MS = 5_000;

export class OpenConnections {
  private readonly all = new Map<string, Connection>();
  /** Connections without an authenticated request, in order of arrival. */
  private readonly unauthenticated = new Set<Connection>();
  private readonly byAddress = new Map<string, number>();
  private sweeper: NodeJS.Timeout | undefined;
  /** Number of outgoing connections on behalf of clients, which count towards the limit. */
  outgoing = 0;

  constructor(private readonly deps: OpenConnectionsDeps) {}

  get size(): number {
    return this.all.size;
  }

  values(): Iterable<Connection> {
    return this.all.values();
  }

  /** Called for each accepted connection. */
  accept(raw: Socket): void {
    const { remoteAddress: address } = raw;
    // The client has left already.
    if (address === undefined) {
      raw.destroy();
      return;
    }
    const connection = new Connection(raw, address, {
      now: this.deps.now,
      abandonedMax: Math.max(this.deps.maxStreams, ABANDONED_AT_ONCE),
      closed: this.deps.closed,
      recognized: (known) => this.unauthenticated.delete(known),
    });
    const { maxPerAddress } = this.deps;
    const alike = this.byAddress.get(address) ?? 0;
    if (maxPerAddress > 0 && alike >= maxPerAddress) {
      connection.close("address");
      return;
    }
    if (!this.makeRoom()) {
      if (this.all.size + this.outgoing >= this.deps.max + SURPLUS_MAX) {
        connection.close("room");
        return;
      }
      connection.surplus = true;
    }
    const key = keyOf(raw);
    this.all.set(key, connection);
    mark(raw, connection);
    this.unauthenticated.add(connection);
    this.byAddress.set(address, alike + 1);
    raw.on("close", () => this.forget(key, connection));
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  private forget(key: string, connection: Connection): void {
    connection.gone();
    this.unauthenticated.delete(connection);
    if (this.all.get(key) === connection) this.all.delete(key);
    const { address } = connection;
    const alike = (this.byAddress.get(address) ?? 0) - 1;
    if (alike > 0) this.byAddress.set(address, alike);
    else this.byAddress.delete(address);
  }

  /** Called after the TLS handshake. */
  secured(tls: TLSSocket): void {
    const connection = this.all.get(keyOf(tls));
    if (connection === undefined) {
      tls.destroy();
      return;
    }
    connection.tls = tls;
    mark(tls, connection);
  }

  /** Returns the TCP socket below a TLS socket whose handshake failed. */
  socketOf(tls: TLSSocket): Socket | undefined {
    return this.all.get(keyOf(tls))?.socket;
  }

  /** Called for a new HTTP/2 session. */
  begun(session: ServerHttp2Session): void {
    const connection = this.all.get(keyOf(session.socket));
    if (connection === undefined) {
      session.destroy();
      return;
    }
    connection.session = session;
    mark(session, connection);
  }

  /** Finds a connection by its socket, its session or one of its streams. */
  find(one: object): Connection | undefined {
    return (one as Marked)[CONNECTION];
  }

  /** @returns undefined for a request whose client has left */
  of(request: IncomingMessage): Connection | undefined {
    const { stream } = request as unknown as Partial<Http2ServerRequest>;
    if (stream === undefined) return this.find(request.socket);
    const connection = stream.session === undefined ? undefined : this.find(stream.session);
    if (connection !== undefined) mark(stream, connection);
    return connection;
  }

  /** Whether there is room for another connection; closes one if possible. */
  private makeRoom(): boolean {
    if (this.all.size + this.outgoing < this.deps.max) return true;
    const victim = this.closableUnauthenticated() ?? this.longestQuiet();
    victim?.close("room");
    return victim !== undefined;
  }

  private closableUnauthenticated(): Connection | undefined {
    const youngest = this.deps.now() - UNAUTHENTICATED_REQUEST_MS;
    for (const candidate of this.unauthenticated) {
      if (!candidate.isOver && (candidate.open === 0 || candidate.since < youngest)) return candidate;
    }
    return undefined;
  }

  /** HTTP/2 connections: their clients can be told to reconnect without losing a request. */
  movable(): readonly Connection[] {
    return [...this.all.values()].filter(
      ({ session, used, endingSince }) => session !== undefined && used && endingSince === 0,
    );
  }

  private longestQuiet(): Connection | undefined {
    let found: Connection | undefined;
    for (const connection of this.all.values()) {
      if (connection.open > 0 || connection.quietSince === 0 || connection.isOver) continue;
      if (found === undefined || connection.quietSince < found.quietSince) found = connection;
    }
    return found;
  }

  /** Closes the connections whose TLS socket matches; other work runs in between. */
  async closeWhere(isLikeThat: (tls: TLSSocket) => boolean, why: ClosedFor): Promise<void> {
    let looked = 0;
    for (const connection of [...this.all.values()]) {
      const { tls } = connection;
      if (tls !== undefined && !connection.isOver && isLikeThat(tls)) connection.close(why);
      looked += 1;
      if (looked % LOOKS_PER_TURN === 0) await nextTurn();
    }
  }

  /** Closes connections that exceeded a timeout. */
  private sweep(): void {
    const now = this.deps.now();
    for (const connection of this.all.values()) this.judge(connection, now);
    if (this.all.size > 0) return;
    clearInterval(this.sweeper);
    this.sweeper = undefined;
  }

  private judge(connection: Connection, now: number): void {
    const { since, tls, session, open, used, endingSince } = connection;
    if (open === 0 && connection.quietSince === 0) connection.quietSince = now;
    if (endingSince !== 0) {
      if (open === 0 && now - endingSince >= ENDING_MS) connection.close("silence");
    } else if (tls === undefined) {
      if (now - since >= HANDSHAKE_MS) connection.close("silence");
    } else if (!used) {
      if (now - since < (session === undefined ? FIRST_REQUEST_HTTP1_MS : FIRST_REQUEST_MS)) return;
      this.deps.closed("silence");
      connection.endSoon();
    } else if (open === 0 && now - connection.quietSince >= this.deps.idleMs) {
      this.deps.closed("idleness");
      connection.endSoon();
    } else if (session !== undefined && connection.isDead(now)) connection.close("silence");
  }

  /** Called after the last answers were sent. */
  stop(): void {
    clearInterval(this.sweeper);
    const rest = [...this.all.values()];
    for (const connection of rest) connection.leave();
    if (rest.length > 0) setTimeout(() => rest.forEach((connection) => void connection.cut()), ENDING_MS).unref();
  }
}

const CONNECTION = Symbol("connection");

interface Marked {
  [CONNECTION]?: Connection;
}

function mark(one: object, connection: Connection): void {
  (one as Marked)[CONNECTION] = connection;
}

/** Two open connections never have the same endpoints. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
