// Single requests to a server that need not be an API server. Responses are returned unchanged, and nothing is retried.
import { type Clock, type Dialer, type RandomSource, type StopSignal, systemClock } from "@orch/platform";
import { type Identity, impersonationHeaders, type TlsSettings } from "../connection/connection-settings";
import type { Credentials } from "../connection/credential-parts";
import { basicAuthorization, credentialsOf } from "../connection/credentials";
import { TlsMaterialSource } from "../connection/tls-material";
import type { AddressGuard } from "../transport/dial";
import { ServerConnections } from "../transport/server-connections";
import type { AnswerHeaders, NetworkAddress } from "../transport/transport";

export interface RawClientOptions {
  /** URL of which the origin is used; only `https`. */
  readonly server: URL;
  readonly tls: TlsSettings;
  readonly identity: Identity;
  readonly userAgent: string;
  /** Called before every request. Absent: the host of the URL is used. */
  readonly address?: () => Promise<NetworkAddress>;
  /** Host header of requests. Absent: the URL's host, and its port unless that is 443. */
  readonly authority?: string;
  /** Checks each address of a host name. Absent: all addresses are allowed. */
  readonly guard?: AddressGuard;
  /** Opens the connections below TLS; host names are then resolved and checked elsewhere. Absent: they are direct. */
  readonly dialer?: Dialer | undefined;
  /** Maximum number of parallel HTTP/1.1 connections. Default: 25. */
  readonly connectionsMax?: number;
  readonly clock?: Clock;
  readonly chance?: RandomSource;
  /** Environment of credential commands. Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface RawPost {
  /** Path with query. */
  readonly path: string;
  /** JSON. */
  readonly body: Uint8Array | string;
  readonly answerMaxBytes: number;
  /** Ends the request and the reading of its response. */
  readonly signal: StopSignal;
  /** Additional headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

export class RawClient {
  private readonly credentials: Credentials;
  private readonly connections: ServerConnections;
  private readonly headers: Readonly<Record<string, string | string[]>>;

  constructor({ server, tls, identity, ...options }: RawClientOptions) {
    const { clock = systemClock, chance = Math.random, environment = process.env } = options;
    const { credentials, password, impersonation } = identity;
    const connection = { server: server.origin, tls, credentials, namespace: "default" };
    this.credentials = credentialsOf(connection, { clock, environment });
    const material = new TlsMaterialSource(tls, this.credentials, clock);
    this.connections = new ServerConnections(
      {
        url: server,
        tls,
        http2: true,
        ...(options.address && { address: options.address }),
        ...(options.guard && { guard: options.guard }),
        ...(options.authority === undefined ? {} : { authority: options.authority }),
        ...(options.connectionsMax === undefined ? {} : { connectionsMax: options.connectionsMax }),
      },
      { clock, chance, material, dialer: options.dialer },
    );
    this.headers = {
      "user-agent": options.userAgent,
      "content-type": "application/json",
      accept: "application/json",
      ...(password && {
        authorization: basicAuthorization(password),
      }),
      ...(impersonation && impersonationHeaders(impersonation)),
    };
  }

  /** Sends a request. @throws ConnectionError, the signal's reason, Error when credentials are unavailable */
  async post({ path, body, answerMaxBytes, signal, headers: more }: RawPost): Promise<RawResponse> {
    const soon = this.credentials.token();
    // Avoids an await when the token is known: it would cost as much as a part of the exchange.
    const token = soon instanceof Promise ? await soon : soon;
    const own = more === undefined ? this.headers : { ...more, ...this.headers };
    const headers = token === undefined ? own : { ...own, authorization: `Bearer ${token}` };
    const response = await this.connections.send({ method: "POST", path, headers, body, signal });
    if (response.status === 401) this.credentials.rejected(token);
    return {
      status: response.status,
      headers: response.headers,
      body: await response.body.bytes(answerMaxBytes),
    };
  }

  close(): void {
    this.connections.close();
  }
}
