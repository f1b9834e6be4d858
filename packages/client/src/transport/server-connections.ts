// Connections to one API server: HTTP/2 when the server offers it, otherwise HTTP/1.1. Connections are replaced when
// they end, when the server sends GOAWAY, or when the certificate was renewed.
import type { StopSignal } from "@orch/platform";
import type { TlsSettings } from "../connection/connection-settings";
import type { TlsMaterial, TlsMaterialSource } from "../connection/tls-material";
import { type AddressGuard, type DialDeps, dial, tlsOptions } from "./dial";
import { Http1Connections } from "./http1-connections";
import { Http2Connection } from "./http2-connection";
import {
  ConnectionError,
  type NetworkAddress,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "./transport";

export interface ServerConnectionsOptions {
  readonly url: URL;
  readonly tls: TlsSettings;
  /** False: HTTP/1.1 in any case. */
  readonly http2: boolean;
  /** Called before every request. Absent: the host of the URL is used. */
  readonly address?: () => Promise<NetworkAddress>;
  /** Host header of requests. Absent: the URL's host. */
  readonly authority?: string;
  /** Checks each address of a host name. Absent: all addresses are allowed. */
  readonly guard?: AddressGuard;
  /** See Http1Connections. */
  readonly connectionsMax?: number;
}

/** Time for running requests on connections with a former certificate. */
const FORMER_CLOSE_AFTER_MS = 60_000;
/** Source: staging/src/k8s.io/client-go/transport/cert_rotation.go. */
const CERTIFICATE_CHECK_EVERY_MS = 300_000;

export class ServerConnections implements Transport {
  private readonly http2 = new Set<Http2Connection>();
  /** Connections that take no new requests, because a certificate has changed. */
  private readonly former = new Set<{ destroy(): void }>();
  private cancelCheck: (() => void) | undefined;
  private http1: Http1Connections | undefined;
  private dialing: Promise<void> | undefined;
  private madeWith: TlsMaterial | undefined;
  private known: { readonly of: TlsMaterial; readonly made: ReturnType<typeof tlsOptions> } | undefined;
  private closed = false;

  constructor(
    private readonly options: ServerConnectionsOptions,
    private readonly deps: DialDeps & { readonly material: TlsMaterialSource },
  ) {}

  send(request: TransportRequest): Promise<TransportResponse> {
    const { http1, closed, options, deps } = this;
    const isReady = !closed && options.address === undefined && deps.material.recent === this.madeWith;
    // Avoids an await when possible: each would cost as much as a part of the exchange.
    return http1 !== undefined && isReady && !request.signal.aborted ? http1.request(request) : this.sendSoon(request);
  }

  private async sendSoon(request: TransportRequest): Promise<TransportResponse> {
    if (this.options.url.protocol === "http:") {
      this.http1 ??= new Http1Connections(this.options.url, undefined, { dialer: this.deps.dialer });
      return this.http1.request(request);
    }
    const material = await this.deps.material.current();
    if (material !== this.madeWith) this.renew(material);
    this.scheduleCheck();
    const at = await this.options.address?.();
    if (!this.options.http2) this.http1 ??= this.openHttp1(material);
    for (;;) {
      if (request.signal.aborted) throw request.signal.reason;
      if (this.closed) throw new ConnectionError("the client was closed", { notProcessed: true });
      if (this.http1 !== undefined) return this.http1.request(request, at);
      for (const connection of this.http2) if (connection.usable) return connection.request(request);
      await unlessAborted(this.dialOnce(at), request.signal);
    }
  }

  close(): void {
    this.closed = true;
    this.cancelCheck?.();
    for (const connection of [...this.http2, ...this.former]) connection.destroy();
    this.http1?.destroy();
  }

  /** Opens a connection. All requests that find no usable connection wait for the same one. */
  private dialOnce(at: NetworkAddress | undefined): Promise<void> {
    this.dialing ??= this.connect(at).finally(() => {
      this.dialing = undefined;
    });
    return this.dialing;
  }

  private async connect(at: NetworkAddress | undefined): Promise<void> {
    const material = await this.deps.material.current(true);
    if (material !== this.madeWith) this.renew(material);
    const socket = await dial({ ...this.tlsOptions(material), ...at }, ["h2", "http/1.1"], this.deps);
    if (this.closed) {
      socket.destroy();
    } else if (socket.alpnProtocol === "h2") {
      const closed = (connection: Http2Connection) => this.http2.delete(connection);
      this.http2.add(new Http2Connection(socket, this.origin, { clock: this.deps.clock, closed }));
    } else {
      this.http1 = this.openHttp1(material);
      this.http1.adopt(socket, at);
    }
  }

  private get origin(): string {
    const { url, authority } = this.options;
    return authority === undefined ? url.origin : `${url.protocol}//${authority}`;
  }

  private openHttp1(material: TlsMaterial): Http1Connections {
    // Each request gives its own address.
    const { host: _host, port: _port, ...tls } = this.tlsOptions(material);
    const { clock, dialer } = this.deps;
    return new Http1Connections(this.options.url, tls, { ...this.options, clock, dialer });
  }

  private tlsOptions(material: TlsMaterial) {
    if (this.known?.of !== material) {
      const { url, tls, guard } = this.options;
      this.known = { of: material, made: tlsOptions(url, tls, material, { chance: this.deps.chance, guard }) };
    }
    return this.known.made;
  }

  private renew(material: TlsMaterial): void {
    this.madeWith = material;
    const { http1 } = this;
    for (const connection of [...this.http2, ...(http1 === undefined ? [] : [http1])]) this.leave(connection);
    this.http1 = undefined;
  }

  /** Closes a connection, after its running requests if these end soon. Watches do not. */
  private leave(connection: Http2Connection | Http1Connections): void {
    this.former.add(connection);
    connection.drain();
    const close = (): void => {
      this.former.delete(connection);
      connection.destroy();
    };
    this.deps.clock.after(FORMER_CLOSE_AFTER_MS, close, { background: true });
  }

  /** Looks for changed certificates from time to time: a client that only watches sends no requests. */
  private scheduleCheck(): void {
    const { clock, material } = this.deps;
    if (this.cancelCheck !== undefined || !material.isInFiles) return;
    const check = async (): Promise<void> => {
      this.cancelCheck = undefined;
      const isIdle = this.http2.size === 0 && this.http1 === undefined;
      if (this.closed || isIdle) return;
      const found = await material.current().catch(() => this.madeWith);
      if (found !== undefined && found !== this.madeWith) this.renew(found);
      this.scheduleCheck();
    };
    this.cancelCheck = clock.after(CERTIFICATE_CHECK_EVERY_MS, () => void check(), { background: true });
  }
}

/** Waits for shared work until the signal is aborted. The work continues for the other callers. */
function unlessAborted(work: Promise<void>, signal: StopSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}
