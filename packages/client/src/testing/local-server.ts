// An HTTPS server for tests with configurable responses.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { createServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { ConnectionSettings, CredentialSettings } from "../connection/connection-settings";
import type { KeyPair } from "../connection/credential-parts";

const SCRIPT = resolve(__dirname, "../../../../scripts/certificates.mjs");

/** A certificate authority in a temporary folder of its own. */
export class TestAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), "client-test-"));
  private readonly issued = new Map<string, KeyPair>();

  get ca(): string {
    return this.read("ca.crt");
  }

  /** Returns one key pair per name. */
  issue(name: string, ...flags: readonly string[]): KeyPair {
    const known = this.issued.get(name);
    if (known !== undefined) return known;
    execFileSync(process.execPath, [SCRIPT, this.folder, name, ...flags]);
    const pair = { certificate: this.read(`${name}.crt`), key: this.read(`${name}.key`) };
    this.issued.set(name, pair);
    return pair;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }
}

export type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

export class LocalServer {
  readonly sessions = new Set<ServerHttp2Session>();
  handshakes = 0;
  handler: Handler = (_request, response) => answer(response, 404, {});
  private readonly server: Http2SecureServer | HttpsServer;

  constructor(
    private readonly authority: TestAuthority,
    options: { readonly http2?: boolean } = {},
  ) {
    const serving = authority.issue("server", "--host", "127.0.0.1", "--host", "localhost");
    const tls = {
      cert: serving.certificate,
      key: serving.key,
      ca: authority.ca,
      requestCert: true,
      rejectUnauthorized: false,
    };
    this.server = options.http2 === false ? createServer(tls) : createSecureServer({ ...tls, allowHTTP1: true });
    // Handlers use only the common interface of both protocols.
    this.server.on("request", ((request: Http2ServerRequest, response: Http2ServerResponse) =>
      this.handler(request, response)) as never);
    this.server.on("secureConnection", () => {
      this.handshakes += 1;
    });
    this.server.on("session", (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.on("close", () => this.sessions.delete(session));
      session.on("error", () => {});
    });
  }

  listen(): Promise<this> {
    return new Promise((done) => this.server.listen(0, "127.0.0.1", () => done(this)));
  }

  connection(credentials: CredentialSettings = {}): ConnectionSettings {
    const { port } = this.server.address() as AddressInfo;
    const ca = { kind: "text", text: this.authority.ca } as const;
    return { server: `https://127.0.0.1:${port}`, tls: { ca }, credentials, namespace: "default" };
  }

  stop(): void {
    for (const session of this.sessions) session.destroy();
    this.server.close();
    if ("closeAllConnections" in this.server) this.server.closeAllConnections();
  }
}

export function answer(
  response: Http2ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
