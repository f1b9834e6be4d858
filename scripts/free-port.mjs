// Finds a port for a server that a script starts.
import { once } from "node:events";
import { createServer } from "node:net";

/** Returns a port of 127.0.0.1 that is free now. */
export async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
