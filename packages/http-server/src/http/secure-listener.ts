// The TLS port: HTTP/2 and HTTP/1.1 by ALPN, with limits for slow, silent and broken clients.
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import {
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type TLSSocket,
  Server as TlsServer,
} from "node:tls";
import { NamedContexts, type NamedPair } from "@orch/platform";
import { answerBrokenRequest, answerPlainHttp, isPlainHttp, type UnreadRequest } from "./broken-requests";
import type { HttpRequest, HttpResponse } from "./exchange";
import type { Failures } from "./failures";
import { HandshakeQueue } from "./handshake-queue";
import { HEADERS_MAX_BYTES } from "./header-bytes";
import type { HttpClasses } from "./http-classes";
import type { OpenConnections } from "./open-connections";
import { keepParsing } from "./parser-pause";
import { RequestQueue } from "./request-queue";
import { StreamScheduler, type StreamSchedulerOptions } from "./stream-scheduler";
import { connectListener, upgradeListener } from "./upgrade-requests";

export interface ListenerOptions {
  readonly classes: HttpClasses;
  readonly listener: RequestListener;
  readonly connections: OpenConnections;
  readonly failures: Failures;
  readonly tls: TlsMaterial;
  readonly minVersion: SecureVersion;
  /** OpenSSL cipher names separated by colons; undefined: the default of Node.js. */
  readonly ciphers: string | undefined;
  readonly http2: boolean;
  readonly streamsPerConnection: number;
  /** Timeout of one whole HTTP/1.1 request, from its first byte to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Idle timeout of a connection. */
  readonly idleMs: number;
  /** Whether the client certificate is revoked; called after the handshake. */
  isRevoked(tls: TLSSocket): boolean;
  /** Called for requests that are not HTTP; undefined: ignored. */
  readonly unread: ((request: UnreadRequest) => void) | undefined;
  /** Called for each failed handshake. */
  handshakeFailed(error: Error): void;
}

/** @param expects the interim response that the client waits for before it sends its body */
export type RequestListener = (request: HttpRequest, response: HttpResponse, expects?: Expectation) => void;

export type Expectation = "continue" | "unknown";

const EXPECTATIONS: readonly (readonly [event: string, expects: Expectation])[] = [
  ["checkContinue", "continue"],
  ["checkExpectation", "unknown"],
];

export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /**
   * CAs whose names are sent to clients, "" for none; client certificates are verified by the authenticator, not here.
   */
  readonly ca: string;
  /** Certificates for clients that request these names (SNI). */
  readonly named?: readonly NamedPair[];
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;
const CONNECTIONS_CHECK_MS = 5_000;
/**
 * Node's default for HTTP/2 is 128 header pairs; further ones reset the stream. A front proxy sends each group of a
 * user in one header.
 */
const HEADER_PAIRS_MAX = 2000;
/** TCP keep-alive detects a dead peer for every protocol. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** Maximum memory of one HTTP/2 connection in megabytes: large lists and many watches share one. */
const SESSION_MEMORY_MB = 64;
const UPLOAD_WINDOW_BYTES = 256 * 1024;
/** Some waiting requests may be reset and replaced before they are started. */
const WAITING_PER_STREAM = 1.25;

/** Settings of Node's HTTP/1.1 server that `createSecureServer` does not take as options, but reads from the server. */
interface Http1Settings {
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  connectionsCheckingInterval: number;
  maxHeaderSize: number;
  maxHeadersCount: number;
}

/** The server and its per-connection state. */
export class SecureListener {
  readonly server: Http2SecureServer;
  private tls: TlsMaterial;
  private contexts: NamedContexts;
  private namesAuthorities = false;
  private readonly streamTurns: StreamSchedulerOptions;

  constructor(private readonly options: ListenerOptions) {
    const { connections } = options;
    this.tls = options.tls;
    this.contexts = namedContexts(options.tls, this.namesAuthorities);
    this.streamTurns = {
      waitingMax: options.streamsPerConnection * WAITING_PER_STREAM,
      abandoned: (session) => connections.find(session)?.abandoned(),
      overrun(session) {
        connections.find(session)?.close("resets");
        // Requests that have arrived already are ignored.
        session.destroy();
      },
    };
    this.server = createSecureServer({
      ...options.classes,
      ...contextOf(options.tls, this.namesAuthorities),
      // Set only for several certificates, because it delays each handshake.
      ...(options.tls.named !== undefined && {
        SNICallback: (name: string, answer: (error: Error | null, context?: SecureContext) => void) =>
          answer(null, this.contexts.find(name)),
      }),
      allowHTTP1: true,
      ALPNProtocols: options.http2 ? ["h2", "http/1.1"] : ["http/1.1"],
      // Without client CAs no certificate is requested: browsers would otherwise ask their users for one.
      requestCert: options.tls.ca !== "",
      rejectUnauthorized: false,
      minVersion: options.minVersion,
      ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxSessionMemory: SESSION_MEMORY_MB,
      maxHeaderListPairs: HEADER_PAIRS_MAX,
      settings: { maxConcurrentStreams: options.streamsPerConnection, initialWindowSize: UPLOAD_WINDOW_BYTES },
    });
    Object.assign(this.server, {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.idleMs,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // No limit on the number of headers: Node would silently drop further ones, including those that a proxy has
      // added.
      maxHeadersCount: 0,
    } satisfies Http1Settings);
    this.listenToConnections();
    this.listenToRequests();
  }

  private listenToConnections(): void {
    const { connections, failures, handshakeFailed, isRevoked } = this.options;
    const destroy = (one: { destroy(): unknown }) => void one.destroy();
    const handshakes = this.handshakesInTurn();
    this.on(
      "connection",
      (raw: Socket) => {
        connections.accept(raw);
        if (!raw.destroyed) handshakes.await(raw);
      },
      destroy,
    );
    // Runs before the listener of Node.js, which starts to read the connection.
    this.server.prependListener(
      "secureConnection",
      failures.guarded((tls: TLSSocket) => {
        connections.secured(tls);
        const connection = connections.find(tls);
        handshakes.over(connection?.socket);
        if (isRevoked(tls)) {
          connection?.close("revoked");
          return;
        }
        tls.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
        tls.setNoDelay(true);
      }, destroy),
    );
    // Runs after the listener of Node.js, which creates the parser.
    this.on("secureConnection", (tls: TLSSocket) => keepParsing(tls), destroy);
    this.on("session", (session: ServerHttp2Session) => connections.begun(session), destroy);
    const destroySecond = (_error: Error, one: { destroy(): unknown }) => void one.destroy();
    this.on(
      "tlsClientError",
      (error: Error, socket: TLSSocket) => {
        handshakeFailed(error);
        const raw = connections.socketOf(socket);
        if (isPlainHttp(error) && raw !== undefined) answerPlainHttp(raw);
        else socket.destroy(); // No other timeout closes a silent connection
      },
      destroySecond,
    );
    this.on(
      "clientError",
      (error: NodeJS.ErrnoException, socket: TLSSocket) => {
        // A failed handshake is reported by the other listener.
        if (connections.find(socket) === undefined) return;
        if (isUnreadable(error)) failures.tell("parse", error);
        answerBrokenRequest(error, socket, this.options.unread);
      },
      destroySecond,
    );
    // A session error ends that session; without a listener it would not be reported.
    this.on("sessionError", (error: Error) => failures.tell("session", error), destroySecond);
  }

  /** Delays the connection listeners of Node.js until the connection's turn; until then it is not read. */
  private handshakesInTurn(): HandshakeQueue {
    const { server } = this;
    const listeners = server.listeners("connection");
    server.removeAllListeners("connection");
    Object.assign(server, { pauseOnConnect: true });
    return new HandshakeQueue((raw) => {
      for (const listener of listeners) listener.call(server, raw);
    });
  }

  private listenToRequests(): void {
    const { classes, failures, listener } = this.options;
    const { Http1IncomingMessage } = classes;
    const enter: RequestListener = failures.guarded(listener, (_request, response) => void response.destroy());
    const inTurn = (request: HttpRequest, response: HttpResponse, expects?: Expectation): void => {
      if (!(request instanceof Http1IncomingMessage)) {
        this.inTurnOfStreams(request, () => enter(request, response, expects));
        return;
      }
      const turns = RequestQueue.of(request.socket);
      if (turns.answering === response) enter(request, response, expects);
      else turns.await(response, () => enter(request, response, expects));
    };
    this.server.on("request", ((request: HttpRequest, response: HttpResponse) => inTurn(request, response)) as never);
    for (const [event, expects] of EXPECTATIONS) {
      this.server.on(event, (request: HttpRequest, response: HttpResponse) => inTurn(request, response, expects));
    }
    const abandon = (_request: HttpRequest, answering: { destroy(): unknown }) => void answering.destroy();
    const parts = { Response: classes.Http1ServerResponse, failures, listener: enter };
    this.on("upgrade", upgradeListener(parts), abandon);
    this.on("connect", connectListener(parts), abandon);
  }

  private inTurnOfStreams(request: HttpRequest, begin: () => void): void {
    const { stream } = request as unknown as Http2ServerRequest;
    const { session } = stream;
    // The connection is closed, so that no answer is needed.
    if (session === undefined || session.destroyed) return;
    StreamScheduler.of(session, this.streamTurns).take(stream, begin);
  }

  /** Adds a listener whose failure ends only what it was called for. */
  private on<First, Second>(
    event: string,
    act: (first: First, second: Second, third: never) => void,
    end: (first: First, second: Second) => void,
  ): void {
    this.server.on(event, this.options.failures.guarded(act, end) as never);
  }

  /** @returns the listening port */
  listen(port: number, host: string | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen({ port, host, backlog: 1024 }, () => {
        this.server.off("error", reject);
        this.server.on("error", (error) => this.options.failures.tell("accept", error));
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Replaces the certificate for new connections; open ones keep theirs. */
  replaceTls(material: TlsMaterial): void {
    const contexts = namedContexts(material, this.namesAuthorities);
    this.tls = material;
    this.contexts = contexts;
    this.server.setSecureContext(contextOf(material, this.namesAuthorities));
  }

  /**
   * Starts to send the names of the client CAs in handshakes; before, clients may present any certificate. The first
   * call in a process takes as long as a tenth of a start, because Node.js reads its built-in CAs.
   */
  nameAuthorities(): void {
    this.namesAuthorities = true;
    this.replaceTls(this.tls);
  }

  /** Stops accepting connections. Idle ones stay open, which `close` of the HTTP server would close. */
  closePort(): void {
    TlsServer.prototype.close.call(this.server);
  }

  /**
   * Stops accepting connections. HTTP/2 clients are told to reconnect elsewhere once their streams have ended; idle
   * HTTP/1.1 connections are closed.
   */
  stopAccepting(): void {
    this.server.close();
    for (const connection of this.options.connections.values()) connection.endSoon();
  }

  /** Closes the remaining connections once their last bytes are sent. */
  destroy(): void {
    this.options.connections.stop();
  }
}

/** Other errors concern the connection, such as a client that leaves without closing it. */
const isUnreadable = ({ code = "" }: NodeJS.ErrnoException): boolean => /^(HPE|ERR_HTTP)_/.test(code);

/** An absent list of CAs would mean those of the system. */
function contextOf({ cert, key, ca }: TlsMaterial, namesAuthorities: boolean): SecureContextOptions {
  return { cert, key, ca: namesAuthorities && ca !== "" ? [ca] : [] };
}

/** @throws Error for a certificate that does not match its key */
function namedContexts(material: TlsMaterial, namesAuthorities: boolean): NamedContexts {
  const { ca } = contextOf(material, namesAuthorities);
  return new NamedContexts(material.named ?? [], ca === undefined ? {} : { ca });
}
