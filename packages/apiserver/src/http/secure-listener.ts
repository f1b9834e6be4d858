// The one TLS port: HTTP/2 and HTTP/1.1 by ALPN, with bounds on what a slow, silent or broken client may hold.
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
import { HandshakeTurns } from "./handshake-turns";
import { HEADERS_MAX_BYTES } from "./header-bytes";
import type { HttpClasses } from "./http-classes";
import type { OpenConnections } from "./open-connections";
import { RequestTurns } from "./request-turns";
import { StreamTurns, type StreamTurnsOptions } from "./stream-turns";
import { connectListener, upgradeListener } from "./upgrade-requests";

export interface ListenerOptions {
  readonly classes: HttpClasses;
  readonly listener: RequestListener;
  readonly connections: OpenConnections;
  readonly failures: Failures;
  readonly tls: TlsMaterial;
  readonly minVersion: SecureVersion;
  /** OpenSSL's names, colon-separated; undefined: the run time's choice. */
  readonly ciphers: string | undefined;
  readonly http2: boolean;
  readonly streamsPerConnection: number;
  /** Bound of one whole request on HTTP/1.1, from its first byte to the end of its body. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open without a request. */
  readonly idleMs: number;
  /** Whether the certificate of its other end counts no more; asked when the handshake is through. */
  isRevoked(tls: TLSSocket): boolean;
  /** Told of requests that could not be read as HTTP; undefined: nobody wants to know. */
  readonly unread: ((request: UnreadRequest) => void) | undefined;
  /** Called for each handshake that failed. */
  handshakeFailed(error: Error): void;
}

/** @param expects what the client waits for before it sends its body */
export type RequestListener = (request: HttpRequest, response: HttpResponse, expects?: Expectation) => void;

export type Expectation = "continue" | "unknown";

const EXPECTATIONS: readonly (readonly [event: string, expects: Expectation])[] = [
  ["checkContinue", "continue"],
  ["checkExpectation", "unknown"],
];

export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** CAs whose names are told to clients, "" for none; their certificates are judged by the authenticator, not here. */
  readonly ca: string;
  /** Shown instead to clients that ask for their names. */
  readonly named?: readonly NamedPair[];
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;
const CONNECTIONS_CHECK_MS = 5_000;
/** Of HTTP/2 the run time would take 128 otherwise, and reset the others; a proxy names each of a user's groups in one. */
const HEADER_PAIRS_MAX = 2000;
/** A dead peer is noticed by the kernel, whatever the protocol above. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** Megabytes that one HTTP/2 connection may hold: large lists and many watches share one. */
const SESSION_MEMORY_MB = 64;
const UPLOAD_WINDOW_BYTES = 256 * 1024;
/** Some may be reset, and others sent in their place, before they are begun. */
const WAITING_PER_STREAM = 1.25;

/** Settings of Node's HTTP/1.1 side that `createSecureServer` does not take as options, but reads from the server. */
interface Http1Settings {
  headersTimeout: number;
  requestTimeout: number;
  keepAliveTimeout: number;
  connectionsCheckingInterval: number;
  maxHeaderSize: number;
  maxHeadersCount: number;
}

/** The server and what hangs on it. */
export class SecureListener {
  readonly server: Http2SecureServer;
  private tls: TlsMaterial;
  private contexts: NamedContexts;
  private namesAuthorities = false;
  private readonly streamTurns: StreamTurnsOptions;

  constructor(private readonly options: ListenerOptions) {
    const { connections } = options;
    this.tls = options.tls;
    this.contexts = namedContexts(options.tls, this.namesAuthorities);
    this.streamTurns = {
      waitingMax: options.streamsPerConnection * WAITING_PER_STREAM,
      abandoned: (session) => connections.find(session)?.abandoned(),
      overrun(session) {
        connections.find(session)?.close("resets");
        // What has come with it already is not looked at.
        session.destroy();
      },
    };
    this.server = createSecureServer({
      ...options.classes,
      ...contextOf(options.tls, this.namesAuthorities),
      // Only where there is something to choose from: each handshake is held up for it.
      ...(options.tls.named !== undefined && {
        SNICallback: (name: string, answer: (error: Error | null, context?: SecureContext) => void) =>
          answer(null, this.contexts.find(name)),
      }),
      allowHTTP1: true,
      ALPNProtocols: options.http2 ? ["h2", "http/1.1"] : ["http/1.1"],
      // Without authorities of clients none is asked for: browsers would otherwise trouble their users for one.
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
      // Whatever number there is room for: those beyond a limit would be left out in silence, also one that somebody on the way has added.
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
    // Before the run time's own listener, which at once lets the connection speak.
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
    this.on("session", (session: ServerHttp2Session) => connections.begun(session), destroy);
    const destroySecond = (_error: Error, one: { destroy(): unknown }) => void one.destroy();
    this.on(
      "tlsClientError",
      (error: Error, socket: TLSSocket) => {
        handshakeFailed(error);
        const raw = connections.socketOf(socket);
        if (isPlainHttp(error) && raw !== undefined) answerPlainHttp(raw);
        else socket.destroy(); // one that stays silent is not closed by anybody else
      },
      destroySecond,
    );
    this.on(
      "clientError",
      (error: NodeJS.ErrnoException, socket: TLSSocket) => {
        // Of a handshake that failed, the other listener hears.
        if (connections.find(socket) === undefined) return;
        if (isUnreadable(error)) failures.tell("parse", error);
        answerBrokenRequest(error, socket, this.options.unread);
      },
      destroySecond,
    );
    // An error of one session ends that session; without a listener here nothing else would be told.
    this.on("sessionError", (error: Error) => failures.tell("session", error), destroySecond);
  }

  /** The run time's own listeners hear of a connection when its turn has come; until then nothing of it is read. */
  private handshakesInTurn(): HandshakeTurns {
    const { server } = this;
    const listeners = server.listeners("connection");
    server.removeAllListeners("connection");
    Object.assign(server, { pauseOnConnect: true });
    return new HandshakeTurns((raw) => {
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
      const turns = RequestTurns.of(request.socket);
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
    // Nobody waits for an answer any more.
    if (session === undefined || session.destroyed) return;
    StreamTurns.of(session, this.streamTurns).take(stream, begin);
  }

  /** A listener that fails ends what it was called for. */
  private on<First, Second>(
    event: string,
    act: (first: First, second: Second, third: never) => void,
    end: (first: First, second: Second) => void,
  ): void {
    this.server.on(event, this.options.failures.guarded(act, end) as never);
  }

  /** @returns the port that it listens on */
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

  /** New connections get the new certificate; open ones keep theirs. */
  replaceTls(material: TlsMaterial): void {
    const contexts = namedContexts(material, this.namesAuthorities);
    this.tls = material;
    this.contexts = contexts;
    this.server.setSecureContext(contextOf(material, this.namesAuthorities));
  }

  /**
   * From now on who connects is told of which authorities his certificate may be; until then he may show any. The first time in a process
   * this takes as long as a tenth of a start, for the run time then reads all the authorities that it knows by itself.
   */
  nameAuthorities(): void {
    this.namesAuthorities = true;
    this.replaceTls(this.tls);
  }

  /** No new connections; those that are quiet stay, which HTTP's own way of closing would not let them. */
  closePort(): void {
    TlsServer.prototype.close.call(this.server);
  }

  /**
   * No new connections. HTTP/2 clients are told to go elsewhere once their streams have ended; HTTP/1.1 connections on which
   * nothing is being answered are closed.
   */
  stopAccepting(): void {
    this.server.close();
    for (const connection of this.options.connections.values()) connection.endSoon();
  }

  /** Ends whatever is still open, once its last bytes are on their way. */
  destroy(): void {
    this.options.connections.stop();
  }
}

/** Other errors are of the connection: who leaves need not take leave. */
const isUnreadable = ({ code = "" }: NodeJS.ErrnoException): boolean => /^(HPE|ERR_HTTP)_/.test(code);

/** An absent list of authorities would mean the system's. */
function contextOf({ cert, key, ca }: TlsMaterial, namesAuthorities: boolean): SecureContextOptions {
  return { cert, key, ca: namesAuthorities && ca !== "" ? [ca] : [] };
}

/** @throws Error for a pair that does not fit together */
function namedContexts(material: TlsMaterial, namesAuthorities: boolean): NamedContexts {
  const { ca } = contextOf(material, namesAuthorities);
  return new NamedContexts(material.named ?? [], ca === undefined ? {} : { ca });
}
