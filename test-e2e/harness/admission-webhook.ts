// Admission webhooks over real TLS with a behaviour per path and call.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ApiObject } from "./api-object";
import type { Authority, CertificateFiles } from "./credentials";

interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
    readonly operation: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly dryRun?: boolean;
    readonly userInfo: { readonly username: string };
    readonly object: ApiObject | null;
    readonly oldObject: ApiObject | null;
  };
}

/** One received review. */
export interface AskedCall {
  /** With its query. */
  readonly url: string;
  readonly headers: Http2ServerRequest["headers"];
  readonly httpVersion: string;
  readonly review: AdmissionReview;
  /** Common name of the caller's certificate. */
  readonly by: string | undefined;
  /** Number of the server's connection, from 1. */
  readonly connection: number;
}

/** Answers a review, or does not. */
export type Behaviour = (call: AskedCall, response: Http2ServerResponse, socket: Socket) => void;

export interface WebhookServerOptions {
  /** Name in its certificate. */
  readonly name?: string;
  /** Further names in its certificate. */
  readonly names?: readonly string[];
  /** Offers HTTP/2. */
  readonly http2?: boolean;
  /** Requests a client certificate of the authority. */
  readonly wantsCertificate?: boolean;
}

export class AdmissionWebhooks {
  /** In order of arrival. */
  asked: AskedCall[] = [];
  private readonly behaviours = new Map<string, Behaviour[]>();
  private server: Server | undefined;
  private readonly sockets = new Map<Socket, number>();
  private connections = 0;
  private port = 0;
  private readonly files: CertificateFiles;
  /** Value for a webhook configuration. */
  readonly caBundle: string;

  constructor(
    authority: Authority,
    private readonly options: WebhookServerOptions = {},
  ) {
    const { name = "admission-webhook", names = [] } = options;
    this.files = authority.issue(name, { names });
    this.caBundle = readFileSync(this.files.ca).toString("base64");
  }

  /** Starts, on the same port again after a stop. */
  async start(): Promise<this> {
    const { http2 = false, wantsCertificate = false } = this.options;
    const { files } = this;
    const tls = {
      cert: readFileSync(files.cert),
      key: readFileSync(files.key),
      ...(wantsCertificate && { ca: readFileSync(files.ca), requestCert: true, rejectUnauthorized: true }),
    };
    const listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void this.take(request, response);
    const server = http2
      ? createSecureServer({ ...tls, allowHTTP1: true }, listener)
      : createServer(tls, listener as never);
    server.on("secureConnection", (socket: Socket) => {
      this.connections += 1;
      this.sockets.set(socket, this.connections);
      socket.on("error", () => {}).on("close", () => this.sockets.delete(socket));
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.server = server as unknown as Server;
    return this;
  }

  /** Closes the listener and all connections. */
  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.sockets.keys()) socket.destroy();
    await closed;
  }

  /** Closes all connections; clients may reconnect. */
  cutOff(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  get listensOn(): number {
    return this.port;
  }

  /** Number of connections so far. */
  get connected(): number {
    return this.connections;
  }

  url(path: string): string {
    return `https://127.0.0.1:${this.port}${path}`;
  }

  /** The clientConfig of a webhook configuration. */
  at(path: string) {
    return { url: this.url(path), caBundle: this.caBundle };
  }

  /** Sets the behaviours at a path: one for each call, and the last one for all later calls. */
  does(path: string, ...behaviours: readonly Behaviour[]): void {
    this.behaviours.set(path, [...behaviours]);
  }

  /** Returns the calls at a path, ignoring the query. */
  askedAt(path: string): readonly AskedCall[] {
    return this.asked.filter(({ url }) => pathOf(url) === path);
  }

  private async take(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    response.on("error", () => {});
    try {
      let text = "";
      for await (const piece of request) text += String(piece);
      const socket = request.socket as TLSSocket;
      const call: AskedCall = {
        url: request.url,
        headers: request.headers,
        httpVersion: request.httpVersion,
        review: JSON.parse(text) as AdmissionReview,
        by: nameOf(request),
        connection: this.numberOf(request),
      };
      this.asked.push(call);
      this.next(pathOf(request.url))(call, response, socket);
    } catch {
      request.socket?.destroy();
    }
  }

  private numberOf(request: Http2ServerRequest): number {
    const socket = (request.stream?.session?.socket ?? request.socket) as Socket;
    for (const [known, number] of this.sockets) {
      if (known === socket || known.remotePort === socket.remotePort) return number;
    }
    return 0;
  }

  private next(path: string): Behaviour {
    const chosen = this.behaviours.get(path) ?? [];
    const [first] = chosen;
    if (first === undefined) throw new Error(`nothing is to be done at ${path}`);
    if (chosen.length > 1) chosen.shift();
    return first;
  }
}

const pathOf = (url: string): string => url.split("?")[0] ?? "";

function nameOf(request: Http2ServerRequest): string | undefined {
  const certificate = (request.socket as TLSSocket).getPeerCertificate?.();
  const name = certificate?.subject?.CN;
  return name === undefined ? undefined : String(name);
}
