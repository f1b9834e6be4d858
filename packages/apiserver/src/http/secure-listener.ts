// The one TLS port: HTTP/2 and HTTP/1.1 by ALPN, with bounds on what a slow, silent or broken client may hold.
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { SecureContextOptions, SecureVersion, TLSSocket } from "node:tls";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { HttpClasses } from "./http-classes";
import { upgradeListener } from "./upgrade-requests";

export interface ListenerOptions {
  readonly classes: HttpClasses;
  readonly listener: (request: ApiRequest, response: ApiResponse) => void;
  readonly tls: TlsMaterial;
  readonly minVersion: SecureVersion;
  /** OpenSSL's names, colon-separated; undefined: the run time's choice. */
  readonly ciphers: string | undefined;
  readonly http2: boolean;
  readonly streamsPerConnection: number;
  /** Bound of one whole request on HTTP/1.1, from its first byte to the end of its body. */
  readonly requestTimeoutMs: number;
  /** Called for each handshake that failed. */
  handshakeFailed(error: Error): void;
}

export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  /** CAs whose names are told to clients, "" for none; their certificates are judged by the authenticator, not here. */
  readonly ca: string;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 20_000;
/** Longer than the pools of common clients and balancers keep idle connections, so that it is they who close. */
const KEEP_ALIVE_TIMEOUT_MS = 125_000;
const CONNECTIONS_CHECK_MS = 5_000;
const HEADERS_MAX_BYTES = 64 * 1024;
/** A dead peer is noticed by the kernel, whatever the protocol above. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** Megabytes that one HTTP/2 connection may hold: large lists and many watches share one. */
const SESSION_MEMORY_MB = 64;
const UPLOAD_WINDOW_BYTES = 256 * 1024;

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
  private readonly sockets = new Set<TLSSocket>();
  private readonly sessions = new Set<ServerHttp2Session>();

  constructor(options: ListenerOptions) {
    this.server = createSecureServer({
      ...options.classes,
      ...contextOf(options.tls),
      allowHTTP1: true,
      ALPNProtocols: options.http2 ? ["h2", "http/1.1"] : ["http/1.1"],
      // Without authorities of clients none is asked for: browsers would otherwise trouble their users for one.
      requestCert: options.tls.ca !== "",
      rejectUnauthorized: false,
      minVersion: options.minVersion,
      ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { maxConcurrentStreams: options.streamsPerConnection, initialWindowSize: UPLOAD_WINDOW_BYTES },
    });
    Object.assign(this.server, {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      // Whatever number there is room for: those beyond a limit would be left out in silence, also one that somebody on the way has added.
      maxHeadersCount: 0,
    } satisfies Http1Settings);
    this.server.on("request", options.listener as never);
    this.server.on("upgrade", upgradeListener(options.classes.Http1ServerResponse, options.listener) as never);
    this.server.on("secureConnection", (socket: TLSSocket) => this.track(socket));
    this.server.on("session", (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.on("close", () => this.sessions.delete(session));
    });
    this.server.on("clientError", answerBrokenRequest);
    this.server.on("tlsClientError", (error: Error, socket: TLSSocket) => {
      options.handshakeFailed(error);
      socket.destroy(); // one that stays silent is not closed by anybody else
    });
    // An error of one session ends that session; without a listener here nothing else would be told.
    this.server.on("sessionError", () => {});
  }

  private track(socket: TLSSocket): void {
    this.sockets.add(socket);
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    socket.on("close", () => this.sockets.delete(socket));
  }

  /** @returns the port that it listens on */
  listen(port: number, host: string | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen({ port, host, backlog: 1024 }, () => {
        this.server.off("error", reject);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** New connections get the new certificate; open ones keep theirs. */
  replaceTls(material: TlsMaterial): void {
    this.server.setSecureContext(contextOf(material));
  }

  /**
   * No new connections. HTTP/2 clients are told to go elsewhere once their streams have ended; HTTP/1.1 connections on which
   * nothing is being answered are closed.
   */
  stopAccepting(busy: ReadonlySet<unknown>): void {
    this.server.close();
    for (const session of this.sessions) session.close();
    for (const socket of this.sockets) if (socket.alpnProtocol !== "h2" && !busy.has(socket)) socket.destroySoon();
  }

  /** Ends whatever is still open, once its last bytes are on their way. */
  destroy(): void {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.sockets) socket.destroySoon();
  }

  get connections(): number {
    return this.sockets.size;
  }
}

/** An absent list of authorities would mean the system's, which takes long to read. */
function contextOf({ cert, key, ca }: TlsMaterial): SecureContextOptions {
  return { cert, key, ca: ca === "" ? cert : ca };
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [code: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

/** What cannot be read as HTTP never reaches the pipeline; it is answered as far as that is possible. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, phrase] = CLIENT_ERRORS[error.code ?? ""] ?? [400, "Bad Request"];
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the request could not be read: ${phrase}`,
    reason: "BadRequest",
    code,
  });
  socket.end(
    `HTTP/1.1 ${code} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
