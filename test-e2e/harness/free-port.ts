// Free TCP ports on 127.0.0.1.
import { createServer, type Server } from "node:net";

/**
 * Below the kernel's range of ephemeral ports, from which an outgoing connection could take a port before it is used.
 */
const FIRST = 12_000;
const COUNT = 20_000;

/** Reserved together, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number;
}

async function listen(): Promise<Server> {
  for (;;) {
    const server = await listenOn(FIRST + Math.floor(Math.random() * COUNT));
    if (server !== undefined) return server;
  }
}

/** @returns undefined when the port is in use */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}
