// A TCP proxy to an endpoint that a test can close, for present and new connections.

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpGate {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isOpen = true;

  private constructor(server: Server) {
    this.server = server;
  }

  /** @param to `http://host:port` */
  static async to(to: string): Promise<TcpGate> {
    const { hostname, port } = new URL(to);
    const server = createServer();
    const gate = new TcpGate(server);
    server.on("connection", (inner) => {
      if (!gate.isOpen) {
        inner.destroy();
        return;
      }
      const outer = connect(Number(port), hostname);
      for (const [socket, other] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        gate.sockets.add(socket);
        socket.on("error", () => {});
        socket.on("close", () => {
          gate.sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    return gate;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  shut(): void {
    this.isOpen = false;
    for (const socket of this.sockets) socket.destroy();
  }

  open(): void {
    this.isOpen = true;
  }

  close(): void {
    this.shut();
    this.server.close();
  }
}
