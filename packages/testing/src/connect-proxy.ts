// A proxy that opens connections by the method CONNECT and records their targets.
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";

export interface ConnectProxyOptions {
  /** Path of a socket to listen at; absent: a free TCP port. */
  readonly path?: string;
  readonly tls?: ServerOptions;
  /** Returns the local port that stands for a target; absent or undefined: the target itself is connected to. */
  readonly portOf?: (target: string) => number | undefined;
  /** Required value of the header Proxy-Authorization; absent: none is required. */
  readonly authorization?: string;
}

export class ConnectProxy {
  /** Targets as clients asked for them, in order. */
  readonly targets: string[] = [];
  /** Number of requests that were answered with 407. */
  refused = 0;
  private readonly open = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    private readonly portOf: ConnectProxyOptions["portOf"],
    authorization: string | undefined,
  ) {
    server.on("connect", (request: IncomingMessage, client: Duplex) => {
      if (authorization === undefined || request.headers["proxy-authorization"] === authorization)
        this.connect(request.url ?? "", client);
      else {
        this.refused += 1;
        client.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      }
    });
  }

  static async listen({ path, tls, portOf, authorization }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    await new Promise<void>((resolve) => {
      if (path === undefined) server.listen(0, "127.0.0.1", resolve);
      else server.listen(path, resolve);
    });
    return new ConnectProxy(server, portOf, authorization);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const each of this.open) each.destroy();
  }

  private connect(target: string, client: Duplex): void {
    this.targets.push(target);
    const { hostname, port } = new URL(`http://${target}`);
    const local = this.portOf?.(target);
    const itself = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
    const backend = connect(local === undefined ? itself : { host: "127.0.0.1", port: local });
    const sides = [client, backend];
    for (const side of sides) {
      this.open.add(side);
      side.on("error", () => {
        for (const each of sides) each.destroy();
      });
      side.once("close", () => {
        this.open.delete(side);
        for (const each of sides) each.destroy();
      });
    }
    backend.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(backend).pipe(client);
    });
  }
}
